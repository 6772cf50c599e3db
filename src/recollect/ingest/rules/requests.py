"""What a user asks for and what a project decides: instructions, decisions, errors, procedures."""

import re
from dataclasses import dataclass

from recollect.ingest.rules.drafts import Draft, keyed, loose
from recollect.ingest.rules.keys import Key, slug


@dataclass(frozen=True, slots=True)
class Stated:
    """A draft that brings its own text, because its subject is not the speaker."""

    draft: Draft
    text: str
    subject: str = ""


_DO = (
    r"(?:use|write|answer|reply|respond|format|call|include|add|explain|avoid|ask|run|commit|"
    r"suggest|"
    r"speak|translate|give me|show me|send|remind|summari[sz]e|cite|return|test|lint|deploy|push|"
    r"mention|"
    r"refer|name|prefer|output|address|document|comment|quote|list|propose|assume|refactor|wrap|"
    r"import|install|create|delete|edit|modify|touch|check|validate|log|pin|review|merge|rebase)"
)
_ALWAYS = re.compile(
    rf"^(?:please,? |and |also |so )*(?:(?:remember to )?(?:always|never)|"
    rf"from now on,?(?: please)?|going forward,?|"
    rf"in (?:the )?future,?|don't ever|do not ever|whenever [^,]{{3,60}},(?: please)?|"
    rf"when(?:ever)? (?:i|you|we) [^,]{{3,60}},(?: always| please)?)"
    rf" (?:always |never |only |please |do not |don't )?(?:{_DO}|keep (?:it|answers|replies|"
    rf"responses|things|the|your|code|functions|commits)|"
    rf"be (?:brief|concise|terse|formal|polite|direct|honest)|make (?:sure|it))\b.*$",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"^(?:please,? )?(?:i do not (?:want|need) you to|i (?:want|need|would like|expect|"
    r"prefer) you to "
    r"(?:always|never|only|stop)|you should always|you must (?:always|never)|"
    r"please (?:always|never|do not|don't|remember to|only|make sure to|keep (?:it|your)))\s+"
    r"(?P<what>.+)$",
    re.IGNORECASE,
)
_STYLE = re.compile(
    rf"^(?:please,? )?(?:do not|don't) {_DO} .*\b(?:code|comments?|emoji|emojis|answers?|replies|"
    rf"responses?|"
    r"tests?|commits?|mocks?|files?|functions?|markdown|tables?|bullet|bullets|summary|summaries|"
    r"jargon|"
    r"dependencies|dependency|libraries|branch|main|master|production|english|german|french|"
    r"spanish)\b.*$",
    re.IGNORECASE,
)
_CALL_ME = re.compile(
    r"^(?:please |just |you can |but |everyone |friends |"
    r"people )*[Cc]all(?:s)? me (?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)$"
)
_REMEMBER = re.compile(
    r"^(?:please )?(?:remember|note|keep in mind|don't forget|do not forget|fyi)(?: that|"
    r":)\s+(?P<what>.{8,})$",
    re.IGNORECASE,
)
_WE_DECIDED = re.compile(
    r"^(?:so |ok |okay |then |and |finally |the team |we |they )*(?:we|the team|our team|"
    r"management|everyone)(?: have| has| all| finally| just| also)* "
    r"(?P<verb>decided|agreed|chose|picked|selected|settled|opted|went with|voted|are going with|"
    r"are going to use|will use|will go with)"
    r"\s*(?P<what>.+)$",
    re.IGNORECASE,
)
_DECISION_IS = re.compile(
    r"^(?:the |our )?(?:final )?(?:decision|conclusion|verdict|agreement)(?: here)? (?:is|"
    r"was)(?: made)?:? (?:to |that )?(?P<what>.+)$"
    r"|^decision: (?P<what2>.+)$",
    re.IGNORECASE,
)
_SWITCHED = re.compile(
    r"^(?:so |ok |and |then )*we(?: have)?(?: just| finally| also| recently)* "
    r"(?P<what>(?:switched|migrated|moved|changed) (?:[\w -]{2,40} )?from .+ to .+|"
    r"replaced .+ with .+)$",
    re.IGNORECASE,
)
_WE_USE = re.compile(
    r"^we(?: all| now| currently| mostly| always)* (?:use|are using) (?P<value>[^,]{2,40}?) (?:for|"
    r"as) "
    r"(?:our |the |all )?(?P<what>[\w /-]{2,40})$",
    re.IGNORECASE,
)
_LETS = re.compile(
    r"^let(?:'|’)?s (?P<what>(?:go with|use|switch to|stick with|adopt|choose|pick|settle on|drop|"
    r"standardi[sz]e on) .+)$",
    re.IGNORECASE,
)
_FIXED = re.compile(
    r"^(?:(?:i|we|ok|okay|finally|it|so|just|have|has|and)\s+)*(?:fixed|solved|resolved|"
    r"worked around|patched|debugged)"
    r" (?:the |a |an |this |that )?(?P<what>.+?) (?:by|with|via|through|using) (?P<how>.+)$",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"^(?:the |our )?(?P<what>(?:root )?(?:cause|problem|issue|bug|error|culprit|reason|fix|"
    r"solution|workaround)(?: (?:of|for|with|in) [^,]{3,60}?)?)"
    r" (?:is|was|turned out to be)(?: that)? (?P<how>.{6,})$",
    re.IGNORECASE,
)
_PROCEDURE = re.compile(
    r"^(?:so |and |also )*to (?P<aim>[a-z]+ [^,]{2,80}|deploy|release|build|install|test|run|"
    r"publish), (?:you (?:need to|have to|must|should|can) |first |just |we |please )*"
    r"(?P<do>(?:run|use|do|open|type|call|execute|set|go|click|press|add|create|copy|edit|start|"
    r"restart|stop|install|"
    r"export|push|merge|tag|build|check|update|clear|delete|disable|enable|log|first) .+)$",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"^(?:the|our|all|every|each|no|any|this project's) (?P<what>[\w' -]{3,60}?) (?:must(?! have\b|"
    r" be (?:so|really|very|amazing|great|nice|hard|tough|fun|awesome)\b)|has to|"
    r"have to|cannot|can not|may not|should never|"
    r"must not|needs to|need to|shall)(?: be| never| always| not)? (?P<how>.{3,})$",
    re.IGNORECASE,
)
_PROJECT = re.compile(
    r"^(?:the|our) (?P<what>(?:[\w-]+ ){0,3}(?:database|db|backend|frontend|framework|language|"
    r"stack|deadline|budget|"
    r"release(?: date)?|launch(?: date)?|due date|editor|server|cluster|repo|repository|branch|"
    r"port|version|client|"
    r"customer|manager|owner|lead|team|company|office|address|domain|url|endpoint|license|schema|"
    r"cloud|provider|"
    r"region|environment|staging|api|cache|queue|linter|formatter|style guide|target|limit|quota|"
    r"name|codename|"
    r"meeting|standup|retro|demo|review|milestone|sprint|goal|objective))"
    r" (?:is|are|was moved to|is now|will be|has been moved to|moved to|is set for|is on|is due)"
    r"(?P<value> .{2,80})$",
    re.IGNORECASE,
)
_EVALUATES = frozenset(
    """great good bad amazing awesome nice cool fun broken slow fast down up fine ok okay not so
    very really too pretty ready done there here interesting beautiful perfect huge a an
    the going just still about that what how looking coming getting""".split()
)


def read_request(clause: str, name: str) -> Stated | None:
    """What a user tells the assistant to do or to remember, and how he wants to be called."""
    if match := _CALL_ME.match(clause):
        return Stated(
            keyed("call me", "name", match["name"], 0.6),
            f"{name} wants to be called {match['name']}",
        )
    if _ALWAYS.match(clause) or _STYLE.match(clause):
        text = re.sub(r"^(?:please,? |and |also |so )+", "", clause, flags=re.IGNORECASE)
        return Stated(
            loose("instruction", "instruction", "instruction", text, 0.85),
            f"{name} asks: {text[0].lower()}{text[1:]}",
        )
    if match := _ADDRESSED.match(clause):
        return Stated(
            loose("instruction", "instruction", "instruction", match["what"], 0.8),
            f"{name} asks: {_opened(clause, match)}",
        )
    return None


def _opened(clause: str, match: re.Match[str]) -> str:
    """The wish without the words it is wrapped in, negation kept."""
    wrapped = clause[: match.start("what")].lower()
    if "i do not" in wrapped:
        return f"do not {match['what']}"
    for word in ("never", "do not", "don't", "always", "only", "stop"):
        if word in wrapped:
            return f"{word} {match['what']}"
    return match["what"]


def read_project(clause: str) -> Stated | None:
    """Decisions of a group, causes, fixes, procedures, requirements, attributes of a project."""
    if match := _WE_DECIDED.match(clause):
        what = match["what"].strip()
        verb = match["verb"].lower()
        if verb in (
            "decided",
            "agreed",
            "opted",
            "voted",
            "settled",
        ) and not what.lower().startswith(("to ", "on ", "that ", "for ", "against ")):
            return None
        text = f"Decided {what}" if verb == "decided" else f"{verb.capitalize()} {what}"
        if verb.startswith(("are going", "will")):
            text = f"Decided to use {what}"
        return Stated(loose("we decided", "decision", "decision", what, 0.9), text)
    if match := _DECISION_IS.match(clause):
        what = (match["what"] or match["what2"]).strip()
        return Stated(loose("decision", "decision", "decision", what, 0.85), f"Decision: {what}")
    if match := _SWITCHED.match(clause):
        what = match["what"]
        draft = loose("switched", "decision", "decision", what, 0.85)
        return Stated(draft, what[0].upper() + what[1:])
    if match := _WE_USE.match(clause):
        key = Key(slug(match["what"]), "fact", "project", "one", 0.6)
        text = f"{match['value']} is used for {match['what']}"
        return Stated(keyed("we use", key, match["value"], 0.8), text, subject="project")
    if (match := _LETS.match(clause)) and any(w[:1].isupper() for w in match["what"].split()):
        return Stated(
            loose("let us", "decision", "decision", match["what"], 0.6),
            f"Decided to {match['what']}",
        )
    if match := _FIXED.match(clause):
        text = f"Fixed {match['what']} by {match['how']}"
        return Stated(loose("fixed", "error", "error", match["how"], 0.8), text)
    if match := _CAUSE.match(clause):
        return Stated(
            loose("cause", "error", "error", match["how"], 0.7),
            f"The {match['what']} was {match['how']}",
        )
    if match := _PROCEDURE.match(clause):
        return Stated(
            loose("procedure", "procedure", "procedure", match["do"], 0.75),
            clause[0].upper() + clause[1:],
        )
    if match := _MUST.match(clause):
        return Stated(
            loose("must", "constraint", "constraint", match["how"], 0.7),
            clause[0].upper() + clause[1:],
        )
    return _attribute(clause)


def _attribute(clause: str) -> Stated | None:
    """A reading of "Our database is PostgreSQL", "The deadline is March 5"."""
    match = _PROJECT.match(clause)
    if not match:
        return None
    value = re.sub(r"\s+(?:because|since|but|so|which|and we|and it)\b.*$", "", match["value"]).strip(" ,.")
    value = re.sub(r"^(?:on|for|now|due) ", "", value)
    if not value or value.split()[0].lower() in _EVALUATES:
        return None
    key = Key(slug(match["what"]), "fact", "project", "one", 0.6)
    text = re.sub(r"^our ", "The ", clause[0].upper() + clause[1:], flags=re.IGNORECASE)
    return Stated(keyed("attribute", key, value, 0.8), text, subject="project")


def read_remember(clause: str) -> str:
    """What follows "remember that …", to be read as a statement of its own."""
    match = _REMEMBER.match(clause)
    return match["what"] if match else ""
