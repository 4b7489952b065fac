// The attacks of the security review, all at once, in a process of their own. Each attacker has an address of its
// own in 127.0.0.0/8, so that each has the budget of one client. Started with `fork`; the first message says what is
// attacked, it answers `begun`, and with its counts when it is told to stop.

import { Agent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildMessage, castAdd, linkCompactState } from '../../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../../src/kernel/protocol/time.ts'
import { rawClient } from '../grpc-support.ts'
import { appToken, DEVNET, testAccount } from '../world.ts'

export type Targets = {
  readonly urls: Readonly<
    Record<'hub' | 'registry' | 'platform' | 'accounts' | 'operations', string>
  >
  readonly grpc: string
  /** The fid of the first attacker that has an account. */
  readonly fid: number
}
/** Answers by attack and status. */
export type AttackReport = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Pause of an attacker between two requests: they share the machine with what they attack. */
const PAUSE_MS = 50
const SLOW_CONNECTIONS = 100
const STREAMS = 40

type Hit = {
  readonly base: string
  readonly path: string
  readonly method?: string
  readonly body?: Buffer | object
  readonly headers?: Record<string, string>
}

let running = true
const counts: Record<string, Record<string, number>> = {}
function count(attack: string, outcome: string): void {
  counts[attack] ??= {}
  counts[attack][outcome] = (counts[attack][outcome] ?? 0) + 1
}

function send(localAddress: string, agent: Agent, hit: Hit): Promise<string> {
  const { hostname, port } = new URL(hit.base)
  const isBytes = hit.body instanceof Uint8Array
  const body = isBytes || !hit.body ? hit.body : Buffer.from(JSON.stringify(hit.body))
  return new Promise((resolve) => {
    const outgoing = httpRequest(
      {
        agent,
        localAddress,
        hostname,
        port,
        path: hit.path,
        method: hit.method ?? (body ? 'POST' : 'GET'),
        headers: {
          ...(body && {
            'content-type': isBytes ? 'application/octet-stream' : 'application/json',
          }),
          ...hit.headers,
        },
      },
      (response) => {
        response.resume()
        response.on('close', () => resolve(String(response.statusCode)))
      },
    )
    outgoing.on('error', () => resolve('closed'))
    outgoing.end(body)
  })
}

/** Requests without end from one address. */
async function attack(name: string, host: number, hitOf: (n: number) => Hit): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const lane = async (first: number) => {
    for (let n = first; running; n += 2) {
      count(name, await send(`127.0.1.${host}`, agent, hitOf(n)))
      await sleep(PAUSE_MS)
    }
  }
  await Promise.all([lane(0), lane(1)])
  agent.destroy()
}

/** Connections that send a byte now and then, or that never read what they asked for. */
async function slow(
  name: string,
  host: number,
  base: string,
  head: string,
  writes = false,
): Promise<void> {
  const { hostname, port } = new URL(base)
  const sockets: Socket[] = []
  while (running) {
    while (sockets.length < SLOW_CONNECTIONS) {
      const socket = connect({
        host: hostname,
        port: Number(port),
        localAddress: `127.0.1.${host}`,
      })
      socket.on('error', () => {})
      socket.pause()
      socket.write(head)
      sockets.push(socket)
      count(name, 'opened')
    }
    await sleep(500)
    // A reader has sent its requests; anything more would not be HTTP.
    if (writes) for (const socket of sockets) if (!socket.destroyed) socket.write('x')
    for (let i = sockets.length - 1; i >= 0; i--) {
      if (sockets[i]!.destroyed || sockets[i]!.writableEnded) {
        count(name, 'closed')
        sockets.splice(i, 1)
      }
    }
  }
  for (const socket of sockets) socket.destroy()
}

async function grpcAttack(address: string): Promise<void> {
  const client = rawClient(address)
  const fid = Buffer.from([8, 1])
  for (let i = 0; i < STREAMS; i++) {
    const stream = client.serverStream('Subscribe', Buffer.from([16, 0]))
    stream.on('data', () => {})
    stream.on('error', () => count('grpc Subscribe', 'refused'))
  }
  while (running) {
    const { status } = await client.call('GetLinksByTarget', fid, { deadlineMs: 60_000 })
    count('grpc lists', String(status))
    await sleep(PAUSE_MS)
  }
  client.close()
}

function attacks({ urls, grpc, fid }: Targets): Promise<void>[] {
  const account = testAccount(fid)
  const origin = (back = 0) => ({ fid, timestamp: networkTime(Date.now()) - back, network: DEVNET })
  const token = () => appToken(account, { exp: Math.floor(Date.now() / 1000) + 250 })
  const bytesOf = (init: Parameters<typeof buildMessage>[0]) =>
    Buffer.from(encodeEnvelope(buildMessage(init, account.seed)))
  const targets = Array.from({ length: 13_000 }, (_, i) => 2 ** 32 - 1 - i)
  const hex = (length: number, fill: string) => `0x${fill.repeat(length)}`
  const deadline = 4_000_000_000
  const key = {
    keyType: 1,
    key: hex(32, '01'),
    metadataType: 1,
    metadata: '0x',
    deadline,
    signature: hex(65, '02'),
  }
  const register = {
    to: hex(20, '11'),
    recovery: hex(20, '00'),
    deadline,
    signature: hex(65, '02'),
    keys: Array(16).fill(key),
  }
  const recover = {
    from: hex(20, '11'),
    to: hex(20, '22'),
    recoveryDeadline: deadline,
    recoverySignature: `0x${'00'.repeat(64)}1b`,
    toDeadline: deadline,
    toSignature: hex(65, '02'),
  }
  const transfer = {
    name: 'victim',
    from: 1,
    to: 2,
    fid: 2,
    owner: hex(20, '11'),
    timestamp: Math.floor(Date.now() / 1000),
    signature: hex(65, '02'),
  }
  const keyRequest = { key: hex(32, '01'), requestFid: fid, deadline, signature: hex(65, '02') }
  const auth = () => ({ authorization: `Bearer ${token()}` })
  const { hub, registry, platform, accounts, operations } = urls
  const slowPost =
    'POST /v1/submitMessage HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: 1000000\r\n\r\n'
  const slowRead = `${'GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(4)}`
  return [
    attack('1 recover by zero address', 1, () => ({
      base: accounts,
      path: '/v1/recoverFor',
      body: recover,
    })),
    attack('2 hostile page token', 2, () => ({
      base: hub,
      path: `/v1/castsByFid?fid=1&pageToken=${'='.repeat(15_000)}a`,
    })),
    attack('3 compact states', 3, (n) => ({
      base: hub,
      path: '/v1/submitMessage',
      body: bytesOf(linkCompactState(origin(n % 3_000), 'follow', targets)),
    })),
    attack('3 events', 4, () => ({ base: hub, path: '/v1/events?fids=99999' })),
    attack('4 register with 16 keys', 5, () => ({
      base: accounts,
      path: '/v1/register',
      body: register,
    })),
    attack('5 transfers', 6, () => ({ base: registry, path: '/transfers', body: transfer })),
    attack('7 validate', 7, (n) => ({
      base: hub,
      path: '/v1/validateMessage',
      body: bytesOf(castAdd(origin(n % 3_000), `${n}`)),
    })),
    attack('8 channels', 8, (n) =>
      n % 2
        ? { base: platform, path: '/v2/all-channels' }
        : {
            base: platform,
            path: '/fc/channels',
            body: { channelId: `soak-${n}` },
            headers: auth(),
          },
    ),
    attack('9 key requests', 9, () => ({
      base: platform,
      path: '/v2/signed-key-requests',
      body: keyRequest,
      headers: auth(),
    })),
    attack('14 operations by another host', 14, () => ({
      base: operations,
      path: '/metrics',
      headers: { host: 'evil.example' },
    })),
    attack('15 scans', 15, () => ({ base: hub, path: '/v1/linksByFid?fid=1&link_type=zz' })),
    attack('large body', 16, () => ({
      base: accounts,
      path: '/v1/register',
      body: Buffer.alloc(60_000, '['),
      headers: { 'content-type': 'application/json' },
    })),
    attack('bulk of nothing', 17, () => ({
      base: hub,
      path: '/v1/submitBulkMessages',
      body: Buffer.alloc(1_000_000, Buffer.from([10, 0])),
    })),
    slow('11 slow writers', 11, hub, slowPost, true),
    slow('slow readers', 12, hub, slowRead),
    slow(
      '18 event streams',
      18,
      hub,
      'GET /v1/events/stream?from_event_id=0 HTTP/1.1\r\nhost: x\r\n\r\n',
    ),
    grpcAttack(grpc),
  ]
}

process.once('message', (targets: Targets) => {
  const all = attacks(targets)
  process.send!('begun')
  process.once('message', () => {
    running = false
    Promise.all(all).then(
      () => process.send!(counts, () => process.exit(0)),
      () => process.exit(1),
    )
  })
})
