import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** When users looked at channels, so that what is new in each can be counted. */
export const CHANNEL_LOOK_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table channel_look (
     fid bigint not null, channel_id text not null, seen_at bigint not null, rules_hash ${bytes},
     primary key (fid, channel_id)) ${clustered}`,
]
