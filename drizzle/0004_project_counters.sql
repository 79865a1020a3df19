CREATE TABLE "project_aliases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "project_days" (
	"project_id" uuid NOT NULL,
	"day" date NOT NULL,
	"section_id" text NOT NULL,
	"slot" smallint NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "project_days_project_id_day_section_id_slot_pk" PRIMARY KEY("project_id","day","section_id","slot")
);
--> statement-breakpoint
CREATE TABLE "project_totals" (
	"project_id" uuid NOT NULL,
	"section_id" text NOT NULL,
	"slot" smallint NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "project_totals_project_id_section_id_slot_pk" PRIMARY KEY("project_id","section_id","slot")
);
--> statement-breakpoint
CREATE TABLE "sections" (
	"id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"first_day" date DEFAULT (now() at time zone 'UTC')::date NOT NULL,
	"last_day" date
);
--> statement-breakpoint
ALTER TABLE "project_aliases" ADD CONSTRAINT "project_aliases_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "project_days_day" ON "project_days" USING btree ("day");--> statement-breakpoint
ALTER TABLE project_totals SET (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
ALTER TABLE project_days SET (fillfactor = 50);
--> statement-breakpoint
-- What was filed before yesterday changes no more: it is counted while others file.
INSERT INTO project_days (project_id, day, section_id, slot, count)
	SELECT project_id, (created_at AT TIME ZONE 'UTC')::date, section_id, 0, count(*) FROM defects
	WHERE created_at < date_trunc('day', now(), 'UTC') - interval '1 day' GROUP BY 1, 2, 3;
--> statement-breakpoint
-- Reports wait from here on, and what is left to count is little.
LOCK TABLE defects IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
INSERT INTO project_days (project_id, day, section_id, slot, count)
	SELECT project_id, (created_at AT TIME ZONE 'UTC')::date, section_id, 0, count(*) FROM defects
	WHERE created_at >= date_trunc('day', now(), 'UTC') - interval '1 day' GROUP BY 1, 2, 3;
--> statement-breakpoint
-- A clock that was set back would have let something pass by.
DO $$
BEGIN
	IF (SELECT sum(count) FROM project_days) IS DISTINCT FROM (SELECT sum(count) FROM section_totals) THEN
		DELETE FROM project_days;
		INSERT INTO project_days (project_id, day, section_id, slot, count)
			SELECT project_id, (created_at AT TIME ZONE 'UTC')::date, section_id, 0, count(*) FROM defects GROUP BY 1, 2, 3;
	END IF;
END
$$;
--> statement-breakpoint
INSERT INTO project_totals (project_id, section_id, slot, count)
	SELECT project_id, section_id, 0, sum(count) FROM project_days GROUP BY 1, 2;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_filed_defects() RETURNS trigger LANGUAGE plpgsql AS $$
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
	INSERT INTO project_totals AS kept (project_id, section_id, slot, count)
		SELECT project_id, section_id, own_slot, count(*) FROM filed GROUP BY 1, 2 ORDER BY 1, 2
		ON CONFLICT (project_id, section_id, slot) DO UPDATE SET count = kept.count + excluded.count;
	INSERT INTO project_days AS kept (project_id, day, section_id, slot, count)
		SELECT project_id, (created_at AT TIME ZONE 'UTC')::date, section_id, own_slot, count(*) FROM filed
		GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
		ON CONFLICT (project_id, day, section_id, slot) DO UPDATE SET count = kept.count + excluded.count;
	RETURN NULL;
END
$$;
