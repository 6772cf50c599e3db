"""What a session of a coding agent begins with: a layout of its own, without a model and without old talk."""

from recollect.context.layouts import Fill, Layout, Section
from recollect.model.record import Kind, Level

SESSION = Layout(
    name="session",
    budget=1_500,
    recipe="words",
    sections=(
        Section(
            name="standing",
            fill=(Fill.STANDING, Fill.CONTRADICTIONS, Fill.ERRORS),
            share=0.25,
            priority=1.0,
            title="Always",
        ),
        Section(
            name="known",
            fill=(Fill.LISTED,),
            share=0.2,
            priority=0.6,
            title="Preferred and known",
            kinds=(Kind.PREFERENCE, Kind.FACT, Kind.PROCEDURE, Kind.WORKFLOW, Kind.PATTERN),
            level=Level.SUMMARY,
        ),
        Section(
            name="decided",
            fill=(Fill.LISTED,),
            share=0.25,
            priority=0.7,
            title="Decided and noted",
            kinds=(Kind.DECISION, Kind.GOAL, Kind.CONSTRAINT, Kind.ERROR, Kind.NOTE),
            level=Level.SUMMARY,
        ),
        Section(
            name="working",
            fill=(Fill.RECALLED,),
            share=0.2,
            priority=0.9,
            title="For this branch and file",
        ),
        Section(name="index", fill=(Fill.INDEX,), share=0.1, priority=0.3, title="Index"),
    ),
    flow=("working", "decided", "known", "index"),
)
"""What always holds, is known and was decided, what fits branch, file and errors, and what to ask for."""
