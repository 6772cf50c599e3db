"""Word lists extraction judges by: kin, pets, weak objects, feelings, occupations."""

KIN = frozenset(
    """wife husband spouse partner girlfriend boyfriend fiance fiancee mom mum mother dad father
    parents parent brother brothers sister sisters sibling siblings son sons daughter daughters kid
    kids child children baby twins triplets grandma grandmother grandpa grandfather grandparents
    aunt uncle cousin cousins niece nephew grandson granddaughter grandchildren grandkids family
    stepson stepdaughter stepmother stepfather ex-wife ex-husband roommate roommates friend
    friends""".split()
)
PARTNERS = frozenset("wife husband spouse partner girlfriend boyfriend fiance fiancee".split())
CHILDREN = frozenset("son sons daughter daughters kid kids child children baby twins triplets".split())
SIBLINGS = frozenset("brother brothers sister sisters sibling siblings".split())
PETS = frozenset(
    """dog dogs cat cats puppy puppies kitten kittens pet pets hamster rabbit rabbits bunny parrot
    bird birds fish horse horses goat goats chicken chickens snake lizard turtle ferret guinea pup
    pups gecko tortoise iguana pony ponies cow cows pig pigs poodle labrador terrier
    bulldog""".split()
)
VEHICLES = frozenset(
    "car truck motorcycle bike van jeep boat scooter bicycle honda toyota ford tesla".split()
)
BODY = frozenset("hair eyes eye tattoo tattoos beard freckles glasses height skin leg legs arm arms".split())
CONDITIONS = frozenset(
    """diabetes asthma cancer allergy allergies adhd autism anxiety depression arthritis epilepsy
    migraines insomnia dyslexia ocd ptsd celiac disability""".split()
)
WEAK_OBJECTS = frozenset(
    """world news surge pictures pics photos feedback incident purpose adventure milestone
    letdown setback weekend research information time fun blast idea ideas feeling
    feelings question questions chance point luck doubt trouble moment look lot bit while
    thing things stuff something anything everything nothing someone anyone way ways kind
    sort opportunity say problem issue reason hope faith trust interest experience sense
    effect impact energy strength support love respect courage patience plans talk chat
    conversation conversations laugh smile ball smiles memories memory thought thoughts
    goosebumps break hand hang word words advice tip tips news update trick secret clue
    need favorite favorites turn kick treat surprise part parts thanks congratulations
    progress copy vibes mix day days project projects people someone person future
    potential leap step steps recommendation recommendations suggestion suggestions
    interests joy happiness peace method hours vibe response answer answers goal goals
    dream dreams obstacle obstacles plan strides upbeat positive motivated focused
    organized spot spots place places track right grip handle balance journey ride
    challenge challenges difference best deal mind heart eyes-open success result results""".split()
)
"""Objects that make "I have …", "I had …", "I got …" small talk rather than a fact."""

FEELINGS = frozenset(
    """happy sad glad sure sorry excited thrilled tired exhausted ready good great fine well ok okay
    nervous proud curious surprised impressed amazed stoked pumped lucky grateful thankful honored
    stuck busy back done right wrong serious honest confident hopeful optimistic pleased jealous
    bored confused worried scared upset angry mad anxious relieved blessed inspired determined
    touched here there home aware able willing eager psyched delighted fired overwhelmed stressed
    sick hungry better open up down in out off on all always totally so just still close familiar
    super really very pretty quite too kinda also""".split()
)
"""States of a moment: "I am …" with one of these tells nothing lasting."""

MENTAL = frozenset(
    """think thought know guess suppose believe hope feel mean see hear understand agree imagine bet
    wonder wish remember forget realiz notic appreci admir thank hear say tell ask mention explain
    talk chat discuss assum doubt expect figur consid seem sound look appear promis swear recommend
    suggest understand relat care mind matter need help let keep get find recal recogn congratul
    apolog support encourag believ share show send pick guess bring put hold give check
    come stay hang stop wait laugh cry smile drop glad can't point count catch deal handl miss
    try end add""".split()
)
"""Stems of verbs that speak about the talk, the listener or a mood rather than about a life."""

HABITS = frozenset(
    """work live play studi teach speak drive own run volunt coach write collect watch read listen
    eat drink cook bake train attend ride swim hike travel sing danc paint draw garden knit build
    sell make design develop produc manag lead use practic practis wear smoke suffer commut walk jog
    exercis medit pray donat shop grow rais foster rent sew fish hunt camp climb surf ski skate
    photograph blog stream code program invest save repair fix restor breed bowl box golf
    babysit tutor studi speak perform compos record direct act model serv weld farm ranch
    homeschool sleep wake go do take spend want dream fear follow believ visit clean major
    special graduat expect plan belong attend worship vote identifi""".split()
)
"""Stems of verbs whose simple present tells a habit or a lasting state."""

OCCUPATION_ENDINGS = (
    "er", "or", "ist", "ian", "eer", "ant", "man", "woman", "nurse", "cook", "chef", "clerk",
    "judge", "pilot", "guard", "coach", "cop", "vet", "attorney", "surgeon", "cashier", "janitor",
    "secretary", "assistant", "therapist", "tech", "ceo", "cto", "model", "soldier", "marine",
    "entrepreneur", "intern", "professor", "host", "dj", "agent", "executive", "analyst", "aide",
    "professional", "specialist", "owner", "freelancer", "barista", "artist", "athlete", "priest",
)  # fmt: skip
NOT_OCCUPATIONS = frozenset(
    """knitter volunteer crafter quilter runner jogger biker cyclist skater surfer climber camper
    descendant sister brother mother father daughter teenager vegetarian christian foreigner
    beginner believer lover member number introvert extrovert person human woman man listener
    learner reader owner loner winner supporter perfectionist optimist pessimist feminist
    virgo capricorn cancer gamer hiker dreamer partner swimmer collector sucker order bachelor
    minor senior junior newcomer reminder matter summer winter other stranger survivor twin
    traveler fighter southerner northerner californian canadian american australian italian
    russian indian german brazilian egyptian""".split()
)
