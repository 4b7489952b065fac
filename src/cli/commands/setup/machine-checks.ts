import { existsSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { memoryLimit } from '../../../kernel/base/memory-limit.ts'

/** Something about this machine, and how to mend it when it is not as it should be. */
export type Finding = {
  readonly what: string
  readonly isFine: boolean
  readonly found: string
  readonly mend: string
}

export const lineOf = ({ what, isFine, found, mend }: Finding): string =>
  isFine ? `ok    ${what}: ${found}` : `wrong ${what}: ${found}. To mend it: ${mend}`

/** Whether systemd runs this machine: a container has none, nor have other systems. */
const hasSystemd = (): boolean => existsSync('/run/systemd/system')

export const restartWords = (): string =>
  hasSystemd() ? 'systemctl restart rookery' : 'restart the server'

/** What shows the last lines of the server's log. */
export const logWords = (): string =>
  hasSystemd() ? 'journalctl -u rookery -n 20' : 'the lines that it printed last'

const GB = 1e9
const MIN_DISK_BYTES = 2 * GB
const MIN_MEMORY_BYTES = 0.9 * GB

/** What can be checked without a network. */
export async function checkMachine(dataDir: string, ports: readonly number[]): Promise<Finding[]> {
  return [checkClock(), checkMemory(), checkDisk(dataDir), await checkPorts(ports)]
}

/** Directories that the unit hides from the server: ProtectHome and PrivateTmp. */
const HIDDEN = /^\/(?:home|root|run\/user|tmp|var\/tmp)(?:\/|$)/

/** Whether the service sees what runs it, and where its data lie. */
export function checkProgram(program: readonly string[], data: readonly string[]): Finding {
  const hidden = [...program, ...data].filter((path) => HIDDEN.test(path))
  return {
    what: 'program',
    isFine: hidden.length === 0,
    found:
      hidden.length === 0
        ? `${program.join(', ')} (Node ${process.versions.node})`
        : `${hidden.join(', ')} cannot be seen by the service`,
    mend: 'use a clone in /opt/rookery, data in /var/lib or /srv, and a Node outside of /home, /root and /tmp',
  }
}

/** A clock that was never set is before the program was made. */
function checkClock(): Finding {
  const made = statSync(process.execPath).mtimeMs
  return {
    what: 'clock',
    isFine: Date.now() >= made,
    found: new Date().toISOString(),
    mend: 'timedatectl set-ntp true',
  }
}

function checkMemory(): Finding {
  const bytes = memoryLimit()
  return {
    what: 'memory',
    isFine: bytes >= MIN_MEMORY_BYTES,
    found: `${(bytes / GB).toFixed(1)} GB`,
    mend: 'use a machine with 1 GB or more',
  }
}

/** Free bytes on the disk of a directory, which may not exist yet. */
export function freeBytesOf(dir: string): number {
  let existing = dir
  while (!existsSync(existing)) existing = dirname(existing)
  const { bavail, bsize } = statfsSync(existing)
  return bavail * bsize
}

export function checkDisk(dir: string): Finding {
  const free = freeBytesOf(dir)
  return {
    what: 'disk',
    isFine: free >= MIN_DISK_BYTES,
    found: `${(free / GB).toFixed(1)} GB free for ${dir}`,
    mend: `free space, or name another directory; ${MIN_DISK_BYTES / GB} GB are the least`,
  }
}

export async function checkPorts(ports: readonly number[]): Promise<Finding> {
  const free = await Promise.all(ports.map(isFree))
  const taken = ports.filter((_, i) => !free[i])
  return {
    what: 'ports',
    isFine: taken.length === 0,
    found: taken.length === 0 ? `${ports.join(', ')} are free` : `${taken.join(', ')} in use`,
    mend: `find the program that has it: ss -ltnp 'sport = :${taken[0]}'`,
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    // Only root may listen below 1024, which says nothing about the port.
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'EACCES'))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
