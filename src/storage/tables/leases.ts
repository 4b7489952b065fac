import type { Sql } from '../engines/sql.ts'

// A lease is the right to do something that only one of all processes may do, for a limited time.

export interface LeaseReader {
  get(name: string): Promise<Lease | undefined>
}

type Lease = {
  readonly holder: string
  /** Grows by one whenever the lease changes hands. */
  readonly epoch: number
  /** Unix ms. */
  readonly expiresAt: number
}

type LeaseRequest = {
  readonly holder: string
  /** Unix ms. A lease of another holder that has not expired by then is left alone. */
  readonly now: number
  /** Unix ms. */
  readonly expiresAt: number
}

export interface LeaseWriter extends LeaseReader {
  /** Takes or renews the lease and returns its epoch; undefined while another holder has it. */
  take(name: string, request: LeaseRequest): Promise<number | undefined>
  /**
   * Says whether this holder still has the lease, and locks its row until the transaction ends: no one
   * can take the lease before that.
   */
  hold(name: string, lease: Pick<Lease, 'holder' | 'epoch'>): Promise<boolean>
  /** Ends the holder's lease at once. Does nothing when another holder has it. */
  release(name: string, lease: Pick<Lease, 'holder' | 'epoch'>): Promise<void>
}

export function leaseReader(sql: Sql): LeaseReader {
  return {
    async get(name) {
      const [row] = await sql.all('select holder, epoch, expires_at from lease where name = ?', [
        name,
      ])
      return (
        row && {
          holder: row.holder as string,
          epoch: row.epoch as number,
          expiresAt: row.expires_at as number,
        }
      )
    },
  }
}

export function leaseWriter(sql: Sql): LeaseWriter {
  return {
    ...leaseReader(sql),
    async take(name, { holder, now, expiresAt }) {
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
    async hold(name, { holder, epoch }) {
      const rows = await sql.all(
        'update lease set holder = holder where name = ? and holder = ? and epoch = ? returning name',
        [name, holder, epoch],
      )
      return rows.length > 0
    },
    async release(name, { holder, epoch }) {
      await sql.all('update lease set expires_at = 0 where name = ? and holder = ? and epoch = ?', [
        name,
        holder,
        epoch,
      ])
    },
  }
}
