import { statfsSync } from 'node:fs'
import type { Sql } from './sql.ts'

// What endangers the data or the service without making it impossible: it is logged at the start and told by `doctor`.

export type Caution = { readonly found: string; readonly mend: string }

/** The oldest version of PostgreSQL that the tests run on. */
const OLDEST_VERSION = 15
const VERSION_UNIT = 10_000
/** The process itself, its merge thread and its views thread have pools of their own. */
const POOLS = 3
const SIGNAL_CONNECTIONS = 1

type Connections = { readonly readConnections: number; readonly writeConnections: number }

/** Most connections of one process. */
export const connectionsOf = ({ readConnections, writeConnections }: Connections): number =>
  POOLS * (readConnections + writeConnections) + SIGNAL_CONNECTIONS

/** Engines that speak PostgreSQL's protocol may lack some of these settings, and then nothing is said of them. */
export async function databaseCautions(sql: Sql, limits: Connections): Promise<Caution[]> {
  const rows = await sql.all(
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes',
       'server_version_num', 'max_connections', 'superuser_reserved_connections')`,
  )
  return settingCautions(
    new Map(rows.map(({ name, setting }) => [String(name), String(setting)])),
    limits,
  )
}

/** By the settings of a server. */
export function settingCautions(
  settings: ReadonlyMap<string, string>,
  limits: Connections,
): Caution[] {
  const cautions: Caution[] = []
  const numberOf = (name: string) => Number(settings.get(name) ?? Number.NaN)
  if (settings.get('fsync') === 'off') {
    cautions.push({
      found: 'PostgreSQL has fsync = off: a power cut can lose or damage everything',
      mend: 'set fsync = on in postgresql.conf',
    })
  }
  if (settings.get('full_page_writes') === 'off') {
    cautions.push({
      found: 'PostgreSQL has full_page_writes = off: a power cut can damage pages',
      mend: 'set full_page_writes = on in postgresql.conf, unless the file system writes pages whole',
    })
  }
  const version = Math.floor(numberOf('server_version_num') / VERSION_UNIT)
  if (version < OLDEST_VERSION) {
    cautions.push({
      found: `PostgreSQL ${version} is older than ${OLDEST_VERSION}, the oldest version that Rookery is tested with`,
      mend: 'upgrade PostgreSQL',
    })
  }
  const allowed = numberOf('max_connections') - (numberOf('superuser_reserved_connections') || 0)
  const wanted = connectionsOf(limits)
  if (allowed < wanted) {
    cautions.push({
      found: `PostgreSQL allows ${allowed} connections, and this process may open ${wanted}`,
      mend: 'raise max_connections, or lower ROOKERY_DATABASE_CONNECTIONS',
    })
  }
  return cautions
}

/** Types of file systems as statfs(2) gives them. Locks and the shared memory of SQLite's log do not hold between machines. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x01161970, 'GFS2'],
  [0x0bd00bd0, 'Lustre'],
])

export const fileCautions = (dir: string): Caution[] =>
  fileSystemCautions(statfsSync(dir).type, dir)

/** By the type of a file system. Some architectures extend the sign of a type of 32 bits. */
export function fileSystemCautions(type: number, dir: string): Caution[] {
  const name = NETWORK_FILE_SYSTEMS.get(type >>> 0)
  if (name === undefined) return []
  return [
    {
      found: `${dir} is on ${name}, a network file system: SQLite can damage its data there`,
      mend: 'name a directory on a disk of this machine with ROOKERY_DATA_DIR, or use PostgreSQL',
    },
  ]
}
