import { listStatement, type Sql } from './sql.ts'

/** Who holds a registry name, as its newest transfer says. `fid` 0: released, nobody holds it. */
export type StoredNameProof = {
  /** The name's UTF-8 bytes. */
  readonly name: Uint8Array
  readonly fid: number
  /** 20 bytes. */
  readonly owner: Uint8Array
  /** Unix seconds. */
  readonly timestamp: number
  readonly signature: Uint8Array
}

export interface NameProofReader {
  byName(name: Uint8Array): Promise<StoredNameProof | undefined>
  byNames(names: readonly Uint8Array[]): Promise<StoredNameProof[]>
  byFid(fid: number): Promise<StoredNameProof[]>
  count(): Promise<number>
}

export interface NameProofWriter extends NameProofReader {
  put(proofs: readonly StoredNameProof[]): Promise<void>
}

/** A fid holds one name at a time; more can only come from a foreign registry. */
const MAX_NAMES_PER_FID = 100

const BY_NAMES = listStatement(
  { name: 'bytea' },
  'select p.* from input i join name_proof p on p.name = i.name',
)
const PUT = listStatement(
  { name: 'bytea', fid: 'bigint', owner: 'bytea', timestamp: 'bigint', signature: 'bytea' },
  `insert into name_proof (name, fid, owner, timestamp, signature)
   select name, fid, owner, timestamp, signature from input where true
   on conflict (name) do update set fid = excluded.fid, owner = excluded.owner,
     timestamp = excluded.timestamp, signature = excluded.signature`,
)

export function nameProofReader(sql: Sql): NameProofReader {
  const byNames = async (names: readonly Uint8Array[]) =>
    (await sql.each(
      BY_NAMES,
      names.map((name) => ({ name })),
    )) as unknown as StoredNameProof[]
  return {
    byNames,
    async byName(name) {
      return (await byNames([name]))[0]
    },
    async byFid(fid) {
      const text = 'select * from name_proof where fid = ? order by name limit ?'
      return (await sql.all(text, [fid, MAX_NAMES_PER_FID])) as unknown as StoredNameProof[]
    },
    async count() {
      const [row] = await sql.all('select count(*) as n from name_proof')
      return Number(row?.n ?? 0)
    },
  }
}

export function nameProofWriter(sql: Sql): NameProofWriter {
  return {
    ...nameProofReader(sql),
    async put(proofs) {
      if (proofs.length > 0) await sql.each(PUT, proofs)
    },
  }
}
