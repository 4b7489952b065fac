import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Decisions whose answers to reports are on their way. */
export const ANSWER_MIGRATION = ({ clustered, bytes }: Dialect) => [
  `create table report_answer (
     report_id bigint not null primary key, fid bigint not null, cast_hash ${bytes}, mini_app text,
     up_to bigint not null, act text not null, actor text not null, reason text not null) ${clustered}`,
]
