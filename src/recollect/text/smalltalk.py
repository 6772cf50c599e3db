"""Small talk: what people say to be kind rather than to tell something."""

import re

from recollect.text.terms import STOP_WORDS

_PHRASES = re.compile(
    r"""^\W*(?:(?:and|so|well|oh|aw+|ah|hey|wow|yeah|yes|yep|haha|lol|ok|okay)[,!. ]+)*(?:
    (?:hi|hello|hey|howdy|greetings|good\s(?:morning|evening|afternoon|night))\b
      (?:\W+(?!i\b|i'm\b|my\b|we\b|name)\w+){0,4}\W*$
    |(?:thanks|thank\syou|thx|cheers|ty)\b(?:\W+(?!but\b)\w+){0,9}\W*$
    |(?:bye|goodbye|see\s(?:you|ya)|take\scare|talk\sto\syou|ttyl|have\sa\s(?:good|great|nice))\b.*
    |(?:nice|great|good|glad|happy|lovely)\sto\s(?:meet|see|hear|know)\b.*
    |how(?:'s|\sis|\sare|\shave)\s(?:it|you|things|everything|your\sday)\b.*
    |(?:i'm|i\sam|im)\s(?:(?:doing|so|really|pretty|very|also|just|feeling)\s)*
      (?:good|well|fine|great|ok|okay|sure|glad|happy\sto|sorry|happy\sfor|excited\sfor|proud\sof\syou)\b.*
    |(?:that|it|this|those|these|they|there|which)(?:'s|\sis|\sare|\swas|\ssounds?|\slooks?|\smust|
      \swould|\swill|\sreally|\scould|\sseems?)\b.*
    |(?:sounds?|looks?)\s(?:like\s)?\w+.*
    |(?:congrat\w*|good\sluck|well\sdone|way\sto\sgo|keep\s(?:it\sup|going|up)|you\sgot\sthis|
      no\s(?:problem|worries)|you're\swelcome|of\scourse|my\spleasure|same\shere|me\s(?:too|neither)|
      i\s(?:agree|see|know|understand|hope\sso|think\sso|guess\sso|can\simagine|bet|feel\syou|hear\syou)|
      i\s(?:will|do|am|did)(?=(?:\s(?:too|not|so|really|also|as\swell))*\W*$)|
      what\s(?:about|do|did|are|is|kind)|can't\swait|let\sme\sknow|cool|awesome|amazing|wow|nice|great|
      exactly|totally|definitely|absolutely|agreed|indeed|sure)\b(?:\W+\w+){0,4}\W*$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def is_small_talk(sentence: str) -> bool:
    """Whether a sentence greets, thanks, praises or agrees and tells nothing else."""
    short = sentence[:300]
    telling = [w for w in _WORD.findall(short.lower()) if w not in STOP_WORDS]
    return not telling or bool(_PHRASES.match(short.replace("’", "'")))
