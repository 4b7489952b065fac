import type { Sql } from '../engines/sql.ts'
import { KEPT } from './duties.ts'
import { countRows, rowCount } from './row-counts.ts'
import { type RowOf, table } from './table.ts'

/** The holders of registry names, each as the name's newest transfer says. */
export const NAME_PROOFS = table('name_proof', {
  /** UTF-8. */
  name: { type: 'bytes', withheld: false, key: true },
  /** 0: the name was released and is free. */
  fid: { type: 'integer', erasure: KEPT.ownership, exported: true },
  /** 20 bytes. */
  owner: { type: 'bytes', withheld: false },
  timestamp: { type: 'seconds' },
  signature: { type: 'bytes', withheld: false },
})
export type StoredNameProof = RowOf<typeof NAME_PROOFS>

/** A fid holds one name at a time. More can only come from a foreign registry. */
const MAX_NAMES_PER_FID = 100

export const nameProofReader = (sql: Sql) => ({
  byNames: (names: readonly Uint8Array[]) => NAME_PROOFS.findBy(sql, 'name', names),
  byName: (name: Uint8Array) => NAME_PROOFS.find(sql, name),
  /** By name. */
  byFid: (fid: number) =>
    NAME_PROOFS.select(sql, 'where fid = ? order by name limit (? + 0)', [fid, MAX_NAMES_PER_FID]),
  count: () => rowCount(sql, 'name_proof'),
})

export const nameProofWriter = (sql: Sql) => ({
  ...nameProofReader(sql),
  async put(proofs: readonly StoredNameProof[]): Promise<void> {
    const known = await NAME_PROOFS.findBy(
      sql,
      'name',
      proofs.map(({ name }) => name),
    )
    await NAME_PROOFS.upsert(sql, proofs)
    await countRows(sql, 'name_proof', proofs.length - known.length)
  },
})
