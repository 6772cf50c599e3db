-- The same wall between tenants as around the other tables.
ALTER TABLE document_lines ENABLE ROW LEVEL SECURITY;
ALTER TABLE document_lines FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON document_lines USING (tenant = current_setting('recollect.tenant', true));
