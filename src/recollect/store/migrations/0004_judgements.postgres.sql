-- The same wall between tenants as around the other tables.
ALTER TABLE judgements ENABLE ROW LEVEL SECURITY;
ALTER TABLE judgements FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON judgements USING (tenant = current_setting('recollect.tenant', true));
