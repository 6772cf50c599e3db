-- Runs that changed many memories at once, and what each of them changed, for undoing it. The journal holds
-- ids and numbers, no text of anybody's: the texts are in memory_versions. Rows go when a memory of theirs
-- is erased, and by age.

CREATE TABLE runs (
    tenant       {text} NOT NULL REFERENCES tenants (tenant),
    id           {id} NOT NULL,
    kind         {text} NOT NULL CHECK (kind IN ('upkeep', 'merge')),
    status       {text} NOT NULL CHECK (status IN ('running', 'done', 'undoing', 'undone', 'settled')),
    spaces       {json} NOT NULL,
    counts       {json} NOT NULL,
    reached      BIGINT NOT NULL DEFAULT 0,
    started_at   BIGINT NOT NULL,
    finished_at  BIGINT,
    undone_at    BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX runs_unfinished ON runs (tenant, status) WHERE status IN ('running', 'undoing');

CREATE TABLE journal (
    tenant       {text} NOT NULL,
    run          {id} NOT NULL,
    num          BIGINT NOT NULL,
    kind         {text} NOT NULL,
    memory       {id} NOT NULL,
    other        {id},
    detail       {json} NOT NULL,
    PRIMARY KEY (tenant, run, num),
    FOREIGN KEY (tenant, run) REFERENCES runs (tenant, id)
){without_rowid};
CREATE INDEX journal_by_memory ON journal (tenant, memory);
CREATE INDEX journal_by_other ON journal (tenant, other) WHERE other IS NOT NULL;

-- The largest level at which contexts carry a memory unless they are asked for more.
ALTER TABLE usage ADD COLUMN carried {text} NOT NULL DEFAULT 'full';
