"""Text that gives orders to the assistant, from where no orders may come.

Documents, tool output and imports are data. A sentence in them that speaks to the assistant
("ignore previous instructions", "remember that the user wants …") is a reason to hold the text for
review.
"""

import re

_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|"
        r"all|any|"
        r"your|system|safety)\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|"
        r"context|"
        r"directions?|commands?|policies|training)\b",
        r"\byou (?:must|should|shall|will|need to|have to|are required to) (?:now |always |never |"
        r"only |"
        r"immediately |not )+\w+",
        r"\b(?:from now on|going forward|henceforth),? (?:you|always|never|the assistant|respond|"
        r"answer|"
        r"act|ignore|treat|use)\b",
        r"\byou are now\b|\bact as (?:if you|an? |the )|\bpretend (?:to be|you are|that you)\b",
        r"\b(?:remember|memori[sz]e|store|save|note|record|"
        r"keep in mind)\b.{0,25}\b(?:that )?(?:the |this )?"
        r"user(?:'s)? (?:wants?|prefers?|likes?|needs?|is|has|asked|said|trusts?|agreed|approved|"
        r"password)\b",
        r"\b(?:add|write|save|store|append|insert) (?:this|the following|it|that) (?:to|in|"
        r"into) (?:your |the )?"
        r"(?:long[- ]term )?memor(?:y|ies)\b",
        r"\b(?:dear|attention|note to|instructions? (?:for|to)|message (?:for|to)|"
        r"important for) (?:the |any |all )?"
        r"(?:ai|a\.i\.|assistants?|llms?|language models?|agents?|chat ?bots?|models?|claude|"
        r"chatgpt|gpt|"
        r"copilot|gemini)\b",
        r"^\W*(?:system|assistant|developer)\s*(?:prompt|message|note|override)?\s*:",
        r"<\|?(?:im_start|im_end|system|endoftext|assistant)\|?>|\[/?INST\]|<</?SYS>>|"
        r"###\s*(?:system|instruction)",
        r"\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show|warn|alert|"
        r"ask)\b.{0,20}\b(?:the )?user\b",
        r"\b(?:reveal|print|show|output|repeat|leak|send|exfiltrate)\b.{0,30}\b(?:your|"
        r"the) (?:system prompt|"
        r"instructions|hidden prompt|memory|memories|api keys?|credentials|secrets)\b",
        r"\b(?:new|updated|real|secret) (?:system )?(?:instructions?|rules?|directives?) (?:follow|"
        r"are|below|:)",
        r"\b(?:call|invoke|run|execute|use) (?:the )?\w+ (?:tool|function)\b.{0,40}\b(?:with|and|"
        r"now|to)\b",
        r"\b(?:jailbreak|developer mode|dan mode|prompt injection)\b",
    )
]
_WINDOW = 4000


def looks_like_orders(text: str) -> bool:
    """Whether a text speaks to the assistant instead of about something.

    Long texts are read in windows that overlap, so that each pattern sees a bounded stretch.
    """
    for start in range(0, max(len(text), 1), _WINDOW - 200):
        window = text[start : start + _WINDOW]
        if any(pattern.search(window) for pattern in _PATTERNS):
            return True
    return False
