-- Words beside the rows: the same terms as on SQLite, made by text/terms.py, in a tsvector.
CREATE TABLE texts (
    tenant  TEXT COLLATE "C" NOT NULL,
    kind    TEXT COLLATE "C" NOT NULL,
    id      UUID NOT NULL,
    space   TEXT COLLATE "C" NOT NULL,
    length  BIGINT NOT NULL,
    terms   TSVECTOR NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX texts_by_term ON texts USING gin (terms);
CREATE INDEX texts_by_space ON texts (tenant, space);
CREATE INDEX vectors_by_space ON vectors (tenant, model, space);

-- The second wall between tenants: whatever a query says, a session sees the tenant it was set to.
-- (tenants, jobs and schedules hold names and ids only; workers read them across tenants.)
DO $$
DECLARE
    name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'spaces', 'conversations', 'messages', 'chunks', 'memories', 'memory_versions', 'provenance',
        'artifacts', 'usage', 'links', 'contradictions', 'decisions', 'documents', 'vectors', 'texts',
        'erasures', 'cursors', 'energy'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I USING (tenant = current_setting(''recollect.tenant'', true))',
            name
        );
    END LOOP;
END $$;
