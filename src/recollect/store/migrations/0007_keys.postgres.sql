-- The same wall between tenants as around the other tables, but for the keys, which say whose tenant it is.
DO $$
DECLARE
    name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY['audit', 'answers'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I USING (tenant = current_setting(''recollect.tenant'', true))',
            name
        );
    END LOOP;
END $$;
