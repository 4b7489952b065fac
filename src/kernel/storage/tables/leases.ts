import type { Sql } from '../engines/sql.ts'
import { query } from './table.ts'

// A lease is the right to do something that only one of all processes may do, for a limited time.

type Lease = {
  readonly holder: string
  /** Grows by one whenever the lease changes hands. */
  readonly epoch: number
  /** Unix ms. */
  readonly expiresAt: number
}

type LeaseTerm = Pick<Lease, 'holder' | 'epoch'>

type LeaseRequest = {
  readonly holder: string
  /** Unix ms. A lease of another holder that has not expired by then is left alone. */
  readonly now: number
  /** Unix ms. */
  readonly expiresAt: number
}

export const leaseReader = (sql: Sql) => ({
  async get(name: string): Promise<Lease | undefined> {
    const [lease] = await query<Lease>(
      sql,
      'select holder, epoch, expires_at as "expiresAt" from lease where name = ?',
      [name],
    )
    return lease
  },
})

export const leaseWriter = (sql: Sql) => ({
  ...leaseReader(sql),
  /** Takes or renews the lease and returns its epoch; undefined while another holder has it. */
  async take(name: string, { holder, now, expiresAt }: LeaseRequest): Promise<number | undefined> {
    const [row] = await sql.all(
      `insert into lease (name, holder, epoch, expires_at) values (?, ?, 1, ?)
       on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at,
         epoch = lease.epoch + case when lease.holder = excluded.holder then 0 else 1 end
       where lease.holder = excluded.holder or lease.expires_at <= ?
       returning epoch`,
      [name, holder, expiresAt, now],
    )
    return row?.epoch as number | undefined
  },
  /**
   * Says whether this holder still has the lease, and locks its row until the transaction ends: no one
   * can take the lease before that.
   */
  async hold(name: string, { holder, epoch }: LeaseTerm): Promise<boolean> {
    const rows = await sql.all(
      'update lease set holder = holder where name = ? and holder = ? and epoch = ? returning name',
      [name, holder, epoch],
    )
    return rows.length > 0
  },
  /** Ends the holder's lease at once. Does nothing when another holder has it. */
  async release(name: string, { holder, epoch }: LeaseTerm): Promise<void> {
    const text = 'update lease set expires_at = 0 where name = ? and holder = ? and epoch = ?'
    await sql.all(text, [name, holder, epoch])
  },
})
