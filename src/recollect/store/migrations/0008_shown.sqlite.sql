UPDATE contexts SET items = (
    SELECT json_group_array(json_array(ref, item, kind, standing)) FROM context_items AS i
    WHERE i.tenant = contexts.tenant AND i.context = contexts.id
);
DROP TABLE context_items;
