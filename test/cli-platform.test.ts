// Blocks, actions and moving them, on the command line.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startAppServer } from './mini-apps-support.ts'
import {
  type Commands,
  createPlace,
  type Env,
  type Program,
  startCommands,
  startProgram,
} from './program.ts'

const TOKEN = 'a-token-of-the-operator'

describe('the platform on the command line', { concurrency: 1 }, () => {
  let place: Awaited<ReturnType<typeof createPlace>>
  let program: Program
  let commands: Commands
  let env: Env
  let author: Server
  let at: string
  let name = 'Upvote'

  before(async () => {
    place = await createPlace('sqlite')
    program = await startProgram('start', { ...place.env, ROOKERY_OPS_TOKEN: TOKEN })
    commands = startCommands()
    env = { ...program.client, ROOKERY_OPS_TOKEN: TOKEN }
    author = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const document = { name, icon: 'thumbsup', description: 'Yes.', action: { type: 'post' } }
      response.end(JSON.stringify(document))
    }).listen(0, '127.0.0.1')
    await once(author, 'listening')
    at = `http://127.0.0.1:${(author.address() as AddressInfo).port}`
  })
  after(async () => {
    author.close()
    commands.stop()
    await program.stop()
    await place.remove()
  })

  const succeed = async (...args: string[]) => {
    const result = await commands.run(env, ...args)
    assert.equal(result.code, 0, result.stderr)
    return result.stdout
  }
  const fail = async (args: string[], as: Env = env) => {
    const result = await commands.run(as, ...args)
    assert.equal(result.code, 1, result.stdout)
    return result.stderr
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
  const read = async (path: string): Promise<any> =>
    ((await (await fetch(program.platform + path)).json()) as { result: unknown }).result

  it('block and unblock write a link that other hubs know, and a block of the platform where the key may not', async () => {
    const blocked = async (): Promise<number[]> =>
      (await read('/fc/blocked-users?blockerFid=1')).blockedUsers.map(
        (one: { blockedFid: number }) => one.blockedFid,
      )
    const link = async (): Promise<number> =>
      (await fetch(`${program.hub}/v1/linkById?fid=1&target_fid=7&link_type=block`)).status
    assert.equal(await succeed('block', '7', '--fid', '1'), 'fid 1 blocks fid 7\n')
    assert.deepEqual([await blocked(), await link()], [[7], 200])
    await succeed('block', '7', '--fid', '1')
    await succeed('unblock', '7', '--fid', '1')
    assert.deepEqual([await blocked(), await link()], [[], 404])
    await succeed('unblock', '7', '--fid', '1')
    assert.match(await fail(['block', '99', '--fid', '1']), /fid 99 is not registered/)
    assert.match(await fail(['block', '1', '--fid', '1']), /cannot block itself/)

    // A key that may only sign casts.
    const keys = join(place.env.ROOKERY_DATA_DIR!, 'of-a-bot.json')
    const limits = ['--gasless', '--scopes', 'castAdd', '--json'] as const
    const added = JSON.parse(await succeed('key', 'add', keys, '--fid', '1', ...limits))
    assert.deepEqual(added.scopes, ['castAdd'])
    const bot = (...args: string[]) => succeed(...args, '--fid', '1', '--keys', keys)
    await bot('cast', 'By a key that posts')
    assert.match(
      await fail(['react', 'like', 'https://a.example', '--fid', '1', '--keys', keys]),
      /scope/,
    )
  })

  it('channel creates, follows and lists channels', async () => {
    assert.equal(
      await succeed('channel', 'create', 'birds', '--name', 'All birds', '--fid', '4'),
      'fid 4 owns birds; its casts have the parent https://farcaster.xyz/~/channel/birds\n',
    )
    assert.match(await fail(['channel', 'create', 'birds', '--fid', '5']), /exists already/)
    assert.equal(await succeed('channel', 'follow', 'birds', '--fid', '2'), 'fid 2 follows birds\n')
    const followed = await succeed('channel', 'list', '--followed-by', '2')
    assert.match(followed, /^birds "All birds" 1 followers, owned by fid 4$/m)
    // One that the development network comes with.
    assert.match(followed, /^rookery "The rookery" 10 followers, owned by fid 1$/m)
    await succeed('channel', 'unfollow', 'birds', '--fid', '2')
    assert.match(await succeed('channel', 'list', '--json'), /"id":"birds".*"followerCount":0/)
  })

  it('action adds, installs, refreshes and removes an action', async () => {
    const added = `cast ${at}/up Upvote, 0 users\n`
    assert.equal(await succeed('action', 'add', `${at}/up`), added)
    assert.equal(
      await succeed('action', 'install', `${at}/up`, '--fid', '3'),
      `fid 3 has installed ${at}/up\n`,
    )
    name = 'Better'
    const better = `cast ${at}/up Better, 1 user\n`
    assert.equal(await succeed('action', 'refresh', `${at}/up`), better)
    assert((await succeed('action', 'list')).includes(better))
    await succeed('action', 'remove', `${at}/up`)
    const { actions } = await read('/v2/discover-actions?list=top')
    assert(!actions.some(({ actionUrl }: { actionUrl: string }) => actionUrl === `${at}/up`))
    assert.match(await fail(['action', 'add', 'https://10.0.0.1/']), /is not at a public address/)
  })

  it('action featured sets the order of recommended composer actions', async () => {
    const urls = ['https://actions.example/gif', 'https://actions.example/poll']
    await succeed('action', 'featured', ...urls)
    const { actions } = await read('/v2/discover-composer-actions?list=featured')
    assert.deepEqual(
      actions.map(({ actionUrl }: { actionUrl: string }) => actionUrl),
      urls,
    )
  })

  it('mini-app publishes, refreshes, recommends, removes and restores an app', async () => {
    const server = await startAppServer()
    try {
      const { domain } = server
      assert.equal(
        await succeed('mini-app', 'publish', domain, '--fid', '3'),
        `${domain} Poll is listed\n`,
      )
      server.manifest.name = 'Polls'
      const line = `${domain} Polls, unsigned, listed, 0 users\n`
      assert.equal(await succeed('mini-app', 'refresh', domain), line)
      assert((await succeed('mini-app', 'list')).includes(line))
      await succeed('mini-app', 'featured', domain)
      assert.equal((await read('/v1/mini-apps?list=featured')).apps[0].domain, domain)
      await succeed('mini-app', 'remove', domain, '--reason', 'spam')
      assert.deepEqual((await read('/v1/mini-apps?list=featured')).apps, [])
      assert.match(await fail(['mini-app', 'publish', domain, '--fid', '3']), /has removed/)
      await succeed('mini-app', 'restore', domain, '--reason', 'mended')
      assert.equal(await succeed('mini-app', 'add', domain), line)
      await succeed('mini-app', 'remove', 'cards.example', '--reason', 'spam in snaps')
      const blocked = 'cards.example cards.example, unsigned, removed, 0 users\n'
      assert((await succeed('mini-app', 'list')).includes(blocked))
      await succeed('mini-app', 'restore', 'cards.example', '--reason', 'a mistake')
      assert(!(await succeed('mini-app', 'list')).includes('cards.example'))
      server.document = 'none'
      const said = await succeed('mini-app', 'refresh', domain)
      assert.match(said, /\(is not a JSON object\)/)
    } finally {
      await server.close()
    }
  })

  it('reserve reserves channel ids and lists them', async () => {
    assert.equal(await succeed('reserve', 'zebra', 'yak'), 'zebra, yak: reserved\n')
    await succeed('reserve', 'yak', '--undo')
    assert.match(await succeed('reserve'), /^(?:.+\n)*zebra\n$/)
  })

  it('credit adds and removes credits of a sponsor and prints the history', async () => {
    assert.equal(
      await succeed('credit', '8', '300', '--reason', 'friends'),
      'fid 8 has 300 credits\n',
    )
    await succeed('credit', '8', '-100')
    const said = (await succeed('credit', '8')).split('\n')
    assert.deepEqual(
      said.map((text) => text.replace(/^\S+Z /, '')),
      ['fid 8 has 200 credits', '-100 by the operator', '+300 friends', ''],
    )
    assert.match(await fail(['credit', '8', '-201']), /\(bad_request.validation_failure\)/)
  })

  it('operator commands are refused without the token', async () => {
    const { ROOKERY_OPS_TOKEN: _, ...stranger } = env
    assert.match(await fail(['action', 'list'], stranger), /unauthenticated/)
  })

  it('platform export writes a file that import takes twice without duplicates', async () => {
    const file = join(place.env.ROOKERY_DATA_DIR!, 'export.jsonl')
    const printed = await succeed('platform', 'export', file)
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    assert.equal(printed, `${lines.length} lines are in ${file}\n`)
    const blocks = lines.filter((line) => line.startsWith('{"block":'))
    assert.equal(blocks.length, 1)
    const again = await succeed('platform', 'import', file)
    assert.match(again, new RegExp(`^${lines.length} lines are imported; new: .*0 blocks`))

    const block = { blockerFid: 4, blockedFid: 5, createdAt: 9 }
    const good = JSON.stringify({ block })
    const bad = JSON.stringify({ block: { ...block, blockedFid: 4 } })
    writeFileSync(file, [...lines, good, '', bad].join('\n'))
    const said = await fail(['platform', 'import', file])
    const line = lines.length + 3
    assert(said.includes(`export.jsonl line ${line}: `), said)
    assert.match(said, /FID 4 cannot block itself .* continue with --from \d+/)
    writeFileSync(file, [...lines, good].join('\n'))
    const from = String(lines.length + 1)
    const rest = await succeed('platform', 'import', file, '--from', from)
    assert.equal(rest, '1 lines are imported; new: 1 blocks\n')
  })
})
