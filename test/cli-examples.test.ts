// The example in the help of every command, run as written apart from names, hashes and addresses; once for people
// and once with --json before it, in one world.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { createProgram } from '../src/cli/program.ts'
import { startExampleSnap } from './example-snap.ts'
import { plainPng } from './media-support.ts'
import { type AppServer, startAppServer } from './mini-apps-support.ts'
import {
  createPlace,
  type Env,
  type Program,
  ROOT,
  startCommands,
  startProgram,
} from './program.ts'

const TOKEN = 'a-token-of-the-operator'
const POLL_MS = 50
/** Longer than a name is locked after it moved. */
const NAME_LOCK_SECONDS = 29 * 86_400

/** Commands that run until they are ended or wait for another one, and the test file that runs them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  start: 'start.test.ts',
  ...Object.fromEntries(
    ['reset', 'clock', 'accounts', 'snapshot', 'revert', 'seed', 'faults', 'env'].map((name) => [
      `dev ${name}`,
      'dev-cli.test.ts',
    ]),
  ),
  'dev act-as': 'fork.test.ts',
  'dev record-fork': 'fork.test.ts',
  'dev record': 'dev-recording.test.ts',
  'dev replay': 'dev-recording.test.ts',
  sql: 'dev-cli.test.ts',
  serve: 'start.test.ts',
  connect: 'cli-connect.test.ts',
  approve: 'cli-connect.test.ts',
  deny: 'cli-connect.test.ts',
  init: 'setup-cli.test.ts',
  doctor: 'setup-cli.test.ts',
  upgrade: 'upgrade-cli.test.ts',
  'mail status': 'mail.test.ts',
  'mail test': 'mail.test.ts',
  'recovery list': 'recovery.test.ts',
  'recovery start': 'recovery.test.ts',
  'recovery refuse': 'recovery.test.ts',
  ...Object.fromEntries(
    [
      'mirror start',
      'mirror status',
      'mirror add',
      'mirror remove',
      'mirror compare',
      'mirror rules',
      'mirror verify',
      'mirror quarantine',
      'mirror retry',
      'mirror pause',
      'mirror resume',
    ].map((path) => [path, 'mirror-cli.test.ts']),
  ),
}

/** In an order in which each finds what it needs; `later` moves the clock. */
const ORDER = `
  account create, account list, account use, account export, whoami, key add, key list, profile set, profile show
  name check, name register, name use, name history
  status, open, channel create, channel follow, channel list, channel unfollow, cast, poll, react, like, follow, unfollow, storage lend
  show, thread, timeline, search, notifications, events, delete
  block, unblock, action add, action install, action list, action featured, action refresh, action uninstall, action remove
  snap check, mini-app check, mini-app publish, mini-app list, mini-app add, mini-app refresh, mini-app featured, mini-app show-featured, mini-app remove, mini-app restore, mini-app withdraw
  badge add, badge exclude, badge explain, badge list, badge clear, badge run
  platform export, platform import, reserve, credit, invite create, invite list, invite revoke, setting list, setting set, setting reset
  app create, app list, app key, app revoke, webhook list, views status, views set-aside, views rebuild, token, completion, man, logs
  moderate suspend, moderate restore, moderate limit, moderate unlimit, moderate unwarn, moderate note, moderate notes, moderate remove-note, moderate hide, moderate unhide, moderate reports, moderate resolve, moderate remove-file, moderate remove-poll, moderate hold-term, moderate held-terms, moderate unhold-term, moderate limit-new-accounts, moderate new-accounts, moderate statistics, moderate try-term
  moderate people, moderate appoint, moderate staff, moderate dismiss, moderate appeals, moderate answer
  moderate log, moderate export, moderate export-rows, later, name transfer, later, name release, key remove, moderate take-name, moderate erase
`
  .split(/[,\n]/)
  .map((path) => path.trim())
  .filter(Boolean)
/** Words to add: the actions of the development world are on a site that does not exist. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  'action refresh': ['https://example.com/upvote'],
}
/** With the store closed. */
const OFFLINE = ['verify', 'backup', 'restore', 'export', 'export verify']
/** They print a line for each item, of which there may be none. */
const LISTS = [
  'webhook list',
  'views set-aside',
  'timeline',
  'search',
  'notifications',
  'logs',
  'moderate log',
  'moderate reports',
  'moderate held-terms',
  'moderate new-accounts',
  'moderate appeals',
  'moderate staff',
  'channel list',
]

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
type Facts = Record<string, string>

/** The leaf commands with the examples of their help. */
async function examples(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  const visit = (command: Command, path: string) => {
    for (const one of command.commands) visit(one, `${path} ${one.name()}`.trim())
    // `export` is a command of its own, and has `export verify` below it.
    if (command.commands.length > 0 && command.registeredArguments.length === 0) return
    let text = ''
    const writeOut = (part: string) => {
      text += part
    }
    command.configureOutput({ writeOut })
    command.outputHelp()
    const after = text.slice(text.search(/\nExamples?:\n/))
    const line = new RegExp(
      `^ +(?:\\S.*\\$\\(|eval.*\\(|\\w+=.*)?(rookery ${path}(?: [^|>)&\n]*)?)`,
      'gm',
    )
    const of = [...after.matchAll(line)].map(([, words]) => words!.trim())
    assert.notDeepEqual(of, [], `the help of ${path} has no example of it`)
    found.set(path, of)
  }
  visit(await createProgram({}), '')
  return found
}

/** The words of a command line: no more of a shell's grammar than the examples need. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)

describe('the examples of the help texts', { concurrency: 1 }, () => {
  const commands = startCommands()
  let program: Program
  let place: Awaited<ReturnType<typeof createPlace>>
  let env: Env
  let lines: Map<string, string[]>
  let miniApp: AppServer
  let snap: Awaited<ReturnType<typeof startExampleSnap>>
  const author = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"name":"Up","icon":"thumbsup","description":"Yes.","action":{"type":"post"}}')
  })
  before(async () => {
    lines = await examples()
    place = await createPlace('sqlite')
    const settings = { ROOKERY_OPS_TOKEN: TOKEN, ROOKERY_VIEWS: 'on' }
    program = await startProgram('start', { ...place.env, ...settings })
    env = { ...program.client, ROOKERY_OPS_TOKEN: TOKEN }
    await once(author.listen(0, '127.0.0.1'), 'listening')
    miniApp = await startAppServer()
    snap = await startExampleSnap(program.web)
    miniApp.pages.set('/', (_, response) => response.end('<p>An app</p>'))
  })
  after(async () => {
    commands.stop()
    author.close()
    await miniApp.close()
    snap.stop()
    await program.stop()
    await place.remove()
  })

  const run = async (args: readonly string[], as: Env = env) => {
    const { code, stdout, stderr } = await commands.run(as, ...args)
    assert.equal(code, 0, `rookery ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const runJson = async (...args: string[]): Promise<Json> =>
    (await run([...args, '--json']))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  /** What the placeholders of the examples stand for; `name` is different each time. */
  async function factsOf(name: string): Promise<Facts> {
    const [cast] = await runJson('cast', `about ${name}`, '--fid', '1')
    const [other] = await runJson('cast', `also about ${name}`, '--fid', '2')
    const { port } = author.address() as AddressInfo
    const [{ fid }] = await runJson('account', 'create')
    await run(['cast', 'I am new here', '--fid', String(fid)])
    // Commands that name a cast ask the views for its author.
    for (const { hash } of [cast, other]) await runWhenSeen(['show', hash])
    return {
      alice: name,
      7: String(fid),
      birds: `${name}-birds`,
      bob: 'raven',
      'Hello @bob': 'Hello @raven',
      '0x1f8a...': cast.hash,
      'bob/0x1f8a...': `raven/${other.hash}`,
      '0x5f6c…': other.hash,
      'https://example.com/upvote': `http://127.0.0.1:${port}/${name}`,
      'https://a.example/poll': 'https://actions.example/poll',
      'poll.example': miniApp.domain,
      'http://localhost:3000': miniApp.origin,
      'http://localhost:3003': snap.url,
      'bot.json': join(place.env.ROOKERY_DATA_DIR!, `${name}-bot.json`),
      'platform.jsonl': join(place.env.ROOKERY_DATA_DIR!, `${name}.jsonl`),
      help: `${name}-help`,
      news: `${name}-news`,
    }
  }

  const newest = async (...list: string[]): Promise<Json> => (await runJson(...list)).flat().at(-1)
  const report = async (): Promise<number> => {
    const answer = await fetch(`${program.platform}/v1/reports`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${(await run(['token', '--fid', '3'])).trim()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ fid: 4, reason: 'spam' }),
    })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as Json).result.id
  }
  /** What commands leave for later ones. */
  const AFTER: Readonly<Record<string, (facts: Facts) => Promise<void>>> = {
    'account create': async (facts) => {
      const accounts = await runJson('account', 'list')
      facts['12'] = String(Math.max(...accounts.map(({ fid }: Json) => fid)))
    },
    'invite create': async (facts) => {
      const { invites = [], id } = await newest('invite', 'list')
      facts['0x0000000000000000000000000000000000001234'] = id ?? invites[0].id
    },
    'app create': async (facts) => {
      const { uuid, keys } = await newest('app', 'list')
      facts['6d1b3a52-9d2c-4c5e-8f43-0b7f3f1f6a11'] = uuid
      facts[`0x${'0'.repeat(60)}1234`] = keys[0].id
    },
    'moderate unlimit': async (facts) => {
      const id = await report()
      const decided = await fetch(`${program.operations}/moderation/cases/${id}/decide`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ act: 'warn', reason: 'spam' }),
      })
      facts['12'] = String(((await decided.json()) as Json).entry)
    },
    'moderate unhide': async (facts) => {
      await report()
      facts['12'] = String((await newest('moderate', 'reports')).id)
    },
    // Later commands write links, too.
    'moderate new-accounts': async () => {
      await runJson('moderate', 'limit-new-accounts', '--days', '0')
    },
    'moderate resolve': async (facts) => {
      const answer = await fetch(`${program.platform}/v1/media`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${(await run(['token', '--fid', '3'])).trim()}`,
          'content-type': 'application/octet-stream',
        },
        body: plainPng(8, 8, [1, 2, 3, 255]),
      })
      const { result } = (await answer.json()) as Json
      facts['https://club.example/media/5f6c….jpg'] = result.url
    },
    'moderate remove-file': async (facts) => {
      const answer = await fetch(`${program.platform}/fc/polls`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${(await run(['token', '--fid', '3'])).trim()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ question: 'Tea?', answers: ['Yes', 'No'], seconds: 3_600 }),
      })
      const { result } = (await answer.json()) as Json
      facts['https://club.example/polls/k5x3qd7m2a4vw6zb'] = result.poll.url
    },
    'moderate people': async (facts) => {
      const people = await runJson('moderate', 'people', '--find', facts['7']!)
      const { custody } = people.flat().find(({ fid }: Json) => fid === Number(facts['7']))
      facts[`0x${'5b'.repeat(20)}`] = custody
    },
    'moderate dismiss': async (facts) => {
      // Only a decision that is in force can be appealed, so the account is suspended again; the answer to the appeal ends that.
      await run(['moderate', 'suspend', facts['7']!, '--reason', 'spam'])
      const authorization = `Bearer ${(await run(['token', '--fid', facts['7']!])).trim()}`
      const own = await fetch(`${program.platform}/v1/own-moderation`, {
        headers: { authorization },
      })
      const { result } = (await own.json()) as Json
      const suspension = result.decisions.find(({ action }: Json) => action === 'suspend')
      const { status } = await fetch(`${program.platform}/v1/appeals`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ decision: suspension.id, text: 'it was no spam' }),
      })
      assert.equal(status, 200)
      facts['12'] = String((await newest('moderate', 'appeals')).id)
    },
    'name transfer': async (facts) => {
      await run(['account', 'use', facts['7']!])
      facts['0x5f0c...'] = (await newest('key', 'list')).key
    },
    'name release': async (facts) => {
      await later()
      await run(['name', 'register', facts.alice!])
    },
  }

  async function later(): Promise<void> {
    const response = await fetch(`${program.operations}/dev/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advanceSeconds: NAME_LOCK_SECONDS }),
    })
    assert.equal(response.status, 200)
  }

  /** The arguments of each example of a command. */
  const argumentsOf = (path: string, facts: Facts, isJson: boolean) =>
    lines
      .get(path)!
      .map((line) => [
        ...(isJson ? ['--json'] : []),
        ...[...wordsOf(line).slice(1), ...(ADDED[path] ?? [])]
          .filter((word) => word !== '--follow')
          .map((word) => facts[word] ?? word),
      ])

  /** The views follow the hub by milliseconds. */
  async function runWhenSeen(args: readonly string[]): Promise<string> {
    for (;;) {
      const { code, stdout, stderr } = await commands.run(env, ...args)
      if (code === 0) return stdout
      assert.match(stderr, /does not have it|has no cast|being built|not ready|503/)
      await delay(POLL_MS)
    }
  }

  const check = (path: string, stdout: string, isJson: boolean) => {
    if (!LISTS.includes(path)) assert.notEqual(stdout, '', `${path} prints nothing`)
    if (!isJson) return
    for (const line of stdout.split('\n').filter(Boolean)) {
      assert.doesNotThrow(() => JSON.parse(line), `${path} --json prints ${line}`)
    }
  }

  it('every command has an example, which a test runs', () => {
    const listed = [...ORDER.filter((path) => path !== 'later'), ...OFFLINE]
    assert.deepEqual([...lines.keys()].sort(), [...listed, ...Object.keys(ELSEWHERE)].sort())
    for (const [path, file] of Object.entries(ELSEWHERE)) {
      assert.match(readFileSync(join(ROOT, 'test', file), 'utf8'), new RegExp(`'${path}\\b`), path)
    }
  })

  for (const [name, isJson] of [
    ['alice', false],
    ['alison', true],
  ] as const) {
    it(`each runs ${isJson ? 'with' : 'without'} --json`, async () => {
      const facts = await factsOf(name)
      for (const path of ORDER) {
        if (path === 'later') await later()
        else {
          const isRead = ['show', 'thread', 'timeline', 'search', 'notifications'].includes(path)
          for (const args of argumentsOf(path, facts, isJson)) {
            check(path, await (isRead ? runWhenSeen(args) : run(args)), isJson)
          }
          await AFTER[path]?.(facts)
        }
      }
    })
  }

  it('those about a closed store run with and without --json', async () => {
    await program.stop()
    const directory = place.env.ROOKERY_DATA_DIR!
    for (const [at, isJson] of [
      ['one', false],
      ['two', true],
    ] as const) {
      const facts = {
        '/var/backups/rookery-monday': join(directory, '..', `backup-${at}`),
        '/srv/tables': join(directory, '..', `tables-${at}`),
      }
      for (const path of OFFLINE) {
        const restored = { ROOKERY_DATA_DIR: join(directory, '..', `restored-${at}`) }
        const as = { ...place.env, ...(path === 'restore' && restored) }
        for (const args of argumentsOf(path, facts, isJson)) {
          check(path, await run(args, as), isJson)
        }
      }
    }
  })
})
