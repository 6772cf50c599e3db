-- Which line of a file stands for which memory, as both were when they last agreed: digests only, no text.
-- A row outlives an erased memory, so that its line is taken out of the file and not read again.

CREATE TABLE document_lines (
    tenant         {text} NOT NULL,
    document       {id} NOT NULL,
    ref            {text} NOT NULL,
    memory         {id} NOT NULL,
    owner          {text} NOT NULL CHECK (owner IN ('ours', 'theirs', 'gone')),
    line_digest    BIGINT NOT NULL,
    memory_digest  BIGINT NOT NULL,
    PRIMARY KEY (tenant, document, ref),
    FOREIGN KEY (tenant, document) REFERENCES documents (tenant, id)
){without_rowid};
