-- Pairs of memories that the rules found doubtful, and what a judge said of them: asked once for each pair
-- of versions. Ids and a ground only, no text of anybody's.

CREATE TABLE judgements (
    tenant      {text} NOT NULL,
    memory_a    {id} NOT NULL,
    version_a   BIGINT NOT NULL,
    memory_b    {id} NOT NULL,
    version_b   BIGINT NOT NULL,
    space       {text} NOT NULL,
    noted_at    BIGINT NOT NULL,
    judged_at   BIGINT,
    verdict     {text} CHECK (verdict IN ('contradiction', 'compatible')),
    model       {text},
    PRIMARY KEY (tenant, memory_a, memory_b, version_a, version_b),
    FOREIGN KEY (tenant, memory_a) REFERENCES memories (tenant, id),
    FOREIGN KEY (tenant, memory_b) REFERENCES memories (tenant, id)
);
CREATE INDEX judgements_by_b ON judgements (tenant, memory_b);
CREATE INDEX judgements_waiting ON judgements (tenant, noted_at) WHERE verdict IS NULL;
CREATE INDEX contradictions_open ON contradictions (tenant, space, id) WHERE resolved_at IS NULL;
