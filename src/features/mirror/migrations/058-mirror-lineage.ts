/** Which version of the program mirrored last, and through which servers the data of the source come. */
export const MIRROR_LINEAGE_MIGRATION = [
  `alter table mirror_source add column program text not null default ''`,
  `alter table mirror_source add column path text not null default ''`,
]
