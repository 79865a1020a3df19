CREATE FUNCTION count_filed_defects() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	-- Connections write to slots of their own, so that they seldom wait for each other's commit.
	own_slot CONSTANT smallint := pg_backend_pid() % 16;
BEGIN
	INSERT INTO section_totals AS kept (section_id, slot, count)
		SELECT section_id, own_slot, count(*) FROM filed GROUP BY section_id ORDER BY section_id
		ON CONFLICT (section_id, slot) DO UPDATE SET count = kept.count + excluded.count;
	INSERT INTO section_days AS kept (day, section_id, slot, count)
		SELECT (created_at AT TIME ZONE 'UTC')::date, section_id, own_slot, count(*) FROM filed GROUP BY 1, 2 ORDER BY 1, 2
		ON CONFLICT (day, section_id, slot) DO UPDATE SET count = kept.count + excluded.count;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER defects_counted AFTER INSERT ON defects
	REFERENCING NEW TABLE AS filed FOR EACH STATEMENT EXECUTE FUNCTION count_filed_defects();
--> statement-breakpoint
ALTER TABLE section_totals SET (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
ALTER TABLE section_days SET (fillfactor = 50);
