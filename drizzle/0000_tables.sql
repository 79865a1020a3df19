CREATE TABLE "defects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"section_id" text NOT NULL,
	"project_id" uuid NOT NULL,
	"verbatim" text NOT NULL,
	"reporter" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"idempotency_key" text
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_subscriptions" (
	"endpoint" text PRIMARY KEY NOT NULL,
	"p256dh" text NOT NULL,
	"auth" text NOT NULL,
	"owner_email" text NOT NULL,
	"vapid_public_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_outcome" text,
	"last_outcome_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "section_days" (
	"day" date NOT NULL,
	"section_id" text NOT NULL,
	"slot" smallint NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "section_days_day_section_id_slot_pk" PRIMARY KEY("day","section_id","slot")
);
--> statement-breakpoint
CREATE TABLE "section_totals" (
	"section_id" text NOT NULL,
	"slot" smallint NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "section_totals_section_id_slot_pk" PRIMARY KEY("section_id","slot")
);
--> statement-breakpoint
ALTER TABLE "defects" ADD CONSTRAINT "defects_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "defects_section_feed" ON "defects" USING btree ("section_id","created_at","id");--> statement-breakpoint
CREATE INDEX "defects_feed" ON "defects" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "defects_idempotency" ON "defects" USING btree ("reporter","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "projects_lower_name" ON "projects" USING btree (lower("name" collate "und-x-icu"));--> statement-breakpoint
CREATE INDEX "push_subscriptions_owner" ON "push_subscriptions" USING btree ("owner_email","vapid_public_key","created_at");