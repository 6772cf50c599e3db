-- Which contexts were given out, and what stood behind their refs, for expansion and feedback. No text of
-- anybody's: the query is kept as hashes of its words. Rows go when an item of theirs is erased, and by age.

CREATE TABLE contexts (
    tenant   {text} NOT NULL,
    id       {id} NOT NULL,
    space    {text} NOT NULL,
    made_at  BIGINT NOT NULL,
    asked    {json} NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX contexts_by_time ON contexts (tenant, made_at);

CREATE TABLE context_items (
    tenant    {text} NOT NULL,
    context   {id} NOT NULL,
    ref       {text} NOT NULL,
    item      {id} NOT NULL,
    kind      {text} NOT NULL,
    standing  BIGINT NOT NULL,
    PRIMARY KEY (tenant, context, ref),
    FOREIGN KEY (tenant, context) REFERENCES contexts (tenant, id)
);
CREATE INDEX context_items_by_item ON context_items (tenant, item);
CREATE INDEX context_items_by_ref ON context_items (tenant, ref, context);

-- What is always loaded is found by kind, not by words.
CREATE INDEX memories_by_kind ON memories (tenant, space, kind, status, id);
CREATE INDEX memories_pinned ON memories (tenant, space, status, pinned) WHERE pinned = 1;
