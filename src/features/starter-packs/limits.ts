/** Starter packs that one fid may have created. */
export const MAX_PACKS_PER_FID = 100
/** Members of one pack. */
export const MAX_MEMBERS_PER_PACK = 1_000
/** Fids that one call adds or removes. */
export const MAX_FIDS_PER_CALL = 100
/** Records in one batch of an import or an export. */
export const MAX_BATCH_RECORDS = 500
