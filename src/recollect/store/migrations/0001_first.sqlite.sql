-- Words beside the rows: `texts` numbers every searchable text, the FTS5 index holds its terms.
-- `scope` is one token for tenant and space, so a search never walks another tenant's postings.
CREATE TABLE texts (
    num     INTEGER PRIMARY KEY,
    tenant  TEXT NOT NULL,
    kind    TEXT NOT NULL,
    id      TEXT NOT NULL
);
CREATE UNIQUE INDEX texts_by_id ON texts (tenant, id);
CREATE VIRTUAL TABLE terms USING fts5 (
    scope, body, content = '', contentless_delete = 1, detail = column, tokenize = 'unicode61 remove_diacritics 0'
);
