import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { devAccount } from '../src/dev/accounts.ts'
import { CLOSE_WAIT_MS } from '../src/kernel/http/interface.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { networkTime } from '../src/kernel/protocol/time.ts'
import { MEMORY_FLAGS } from '../src/runtime.ts'
import {
  COMPILE_CACHE,
  type Commands,
  createPlace,
  type Env,
  PROGRAM,
  type Program,
  rookery,
  startCommands,
  startProgram,
} from './program.ts'
import { until } from './until.ts'
import { DEVNET, enginesOf } from './world.ts'

/** Messages accepted before the server is stopped. */
const UNDER_LOAD = 200
const MAINNET = 1
const OCTETS = { 'content-type': 'application/octet-stream' }

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
const json = async (url: string): Promise<any> => (await fetch(url)).json()

function signedCast(
  text: string,
  network = DEVNET,
): { bytes: Uint8Array<ArrayBuffer>; hash: string } {
  const origin = { fid: 1, timestamp: networkTime(Date.now()), network }
  const message = buildMessage(castAdd(origin, text), devAccount(0).appSeed)
  return {
    bytes: encodeEnvelope(message) as Uint8Array<ArrayBuffer>,
    hash: `0x${Buffer.from(message.hash).toString('hex')}`,
  }
}

describe('starting and stopping', { concurrency: 2 }, () => {
  // What a command says needs no process of its own; that the process ends is shown below.
  let commands: Commands
  before(() => {
    commands = startCommands()
  })
  after(() => commands.stop())

  for (const engine of enginesOf(import.meta.url)) {
    describe(`on ${engine}`, { concurrency: 1 }, () => {
      let env: Env
      let remove: () => Promise<void>
      let again: Program
      before(async () => {
        ;({ env, remove } = await createPlace(engine))
      })
      after(() => remove())
      const checkVerified = async () => {
        const verified = await commands.run(env, 'verify')
        assert.match(
          verified.stdout,
          /^\d+ messages, .* are as they should be\.\n$/,
          verified.stderr,
        )
        assert.equal(verified.code, 0)
      }

      it('a server that is stopped under load has stored every accepted message', async () => {
        const program = await startProgram('start', env)
        const accepted: string[] = []
        let stopped = false
        const submitter = async (name: number) => {
          for (let i = 0; !stopped; i++) {
            const { bytes, hash } = signedCast(`load ${name} ${i}`)
            const url = `${program.hub}/v1/submitMessage`
            try {
              const answer = await fetch(url, { method: 'POST', headers: OCTETS, body: bytes })
              if (answer.status === 200) accepted.push(hash)
              else assert.equal(answer.status, 503)
            } catch {
              return // the connection is closed: the message was not accepted
            }
          }
        }
        const load = Promise.all(Array.from({ length: 16 }, (_, name) => submitter(name)))
        const enough = async () => {
          while (accepted.length < UNDER_LOAD) await delay(20, undefined, { ref: false })
        }
        await Promise.race([enough(), load])
        const { code, stderr } = await program.stop('SIGTERM')
        stopped = true
        await load
        assert.equal(code, 0, stderr)

        again = await startProgram('start', env)
        const missing = new Set(accepted)
        for (let token = ''; missing.size > 0; ) {
          const page = `fid=1&pageSize=1000&pageToken=${encodeURIComponent(token)}`
          const { messages, nextPageToken } = await json(`${again.hub}/v1/castsByFid?${page}`)
          for (const { hash } of messages) missing.delete(hash)
          token = nextPageToken
          if (token === '') break
        }
        assert.deepEqual([...missing], [])
        if (engine === 'sqlite') return
        assert.equal((await again.stop('SIGINT')).code, 0)
        await checkVerified()
      })

      if (engine === 'sqlite') {
        it('a store that another process has open is refused', async () => {
          const { code, stderr } = await commands.run(env, 'start')
          assert.equal(code, 1)
          assert.match(stderr, /^rookery: \S+rookery.sqlite is in use by another process\. .*\n$/)
        })

        it('a second signal stops the server at once', async () => {
          const { hostname, port } = new URL(again.hub)
          // A request that never ends delays a graceful stop.
          const request = connect(Number(port), hostname)
          request.on('error', () => {})
          request.write('POST /v1/submitMessage HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n')
          request.write('content-type: application/octet-stream\r\nexpect: 100-continue\r\n\r\n1')
          const [answer] = await once(request, 'data')
          assert.match(String(answer), /^HTTP\/1\.1 100 /)
          again.child.kill('SIGTERM')
          again.child.kill('SIGTERM')
          const isStopping = () => again.output.stderr.includes('Stopping')
          while (!isStopping() && again.child.exitCode === null) await delay(20)
          await delay(1_300)
          assert.equal(again.child.exitCode, null, 'two signals at one moment are one')
          const told = performance.now()
          assert.equal((await again.stop('SIGTERM')).code, 1)
          assert(performance.now() - told < CLOSE_WAIT_MS, 'sooner than a graceful stop')
          request.destroy()
        })

        it('verify finds damage in a closed store', async () => {
          await checkVerified()
          const database = new DatabaseSync(`${env.ROOKERY_DATA_DIR}/rookery.sqlite`)
          database.exec('update usage set count = count + 1 where fid = 1')
          database.close()
          const { code, stdout } = await commands.run(env, 'verify')
          assert.equal(code, 1)
          assert.match(stdout, /\d+ differences in /)
          const report = JSON.parse((await commands.run(env, 'verify', '--json')).stdout)
          assert(report.differences > 0 && report.examples.length > 0)
        })
      }

      it('a store of another network is refused and both networks are named', async () => {
        const otherNetwork = { ...env, ROOKERY_NETWORK: 'testnet' }
        const { code, stdout, stderr } = await commands.run(otherNetwork, 'start')
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, /^rookery: .*devnet.*testnet.*\n$/)
      })
    })
  }

  it('a port in use is reported in one sentence', async () => {
    const { env, remove } = await createPlace('sqlite')
    const squatter = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => squatter.once('listening', resolve))
    const { port } = squatter.address() as { port: number }
    const { code, stdout, stderr } = await rookery({ ...env, ROOKERY_OPS_PORT: `${port}` }, 'start')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(
      stderr,
      new RegExp(`^rookery: 127.0.0.1:${port} is in use by another program\\..*\\n$`),
    )
    squatter.close()
    await remove()
  })

  it('the help of serve is text also without a terminal', async () => {
    for (const option of ['--help', '-h']) {
      const { code, stdout, stderr } = await rookery({}, 'serve', option)
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, /^Usage: rookery serve \[options\]\n\nRuns the server/)
      assert.doesNotMatch(stdout, /^\{/m)
    }
  })

  it('git does not take up the data of a development network', async () => {
    const { env, remove } = await createPlace('sqlite')
    const program = await startProgram('start', env)
    const git = (...args: string[]) =>
      spawnSync('git', args, { cwd: dirname(env.ROOKERY_DATA_DIR!), encoding: 'utf8' }).stdout
    git('init')
    assert.doesNotMatch(git('status', '--porcelain', '--untracked-files=all'), /data/)
    assert.ok(existsSync(join(env.ROOKERY_DATA_DIR!, 'rookery.sqlite')))
    await program.stop()
    await remove()
  })

  it('commands about stored data say where they looked and which settings name it', async () => {
    const { env, remove } = await createPlace('sqlite')
    for (const args of [['backup', `${env.ROOKERY_DATA_DIR}-copy`], ['verify']]) {
      const { code, stderr } = await commands.run(env, ...args)
      assert.equal(code, 1)
      assert.ok(stderr.startsWith(`rookery: there is no data in ${env.ROOKERY_DATA_DIR}. `), stderr)
      assert.match(stderr, /Set ROOKERY_DATA_DIR .* or DATABASE_URL/)
    }
    await remove()
  })

  it('an unreachable database is reported in one sentence without its password', async () => {
    const DATABASE_URL = 'postgres://ann:secret-word@127.0.0.1:9/none'
    const { code, stdout, stderr } = await commands.run({ DATABASE_URL }, 'start')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^rookery: PostgreSQL cannot be reached at 127.0.0.1:9 .*\n$/)
    assert.doesNotMatch(stderr, /secret-word/)
  })

  it('the refusal of the database server is printed', async () => {
    const url = new URL(process.env.TEST_DATABASE_URL!)
    url.pathname = '/no_such_database'
    const { code, stderr } = await commands.run({ DATABASE_URL: url.href }, 'start')
    assert.equal(code, 1)
    assert.match(stderr, /^rookery: PostgreSQL refused: .*no_such_database.*\n$/)
  })

  it('a data directory that cannot be created is reported in one sentence', async () => {
    const { code, stderr } = await commands.run({ ROOKERY_DATA_DIR: '/dev/null/data' }, 'start')
    assert.equal(code, 1)
    assert.match(stderr, /^rookery: .*\/dev\/null.*\n$/)
  })

  it('all faults of the settings are reported at once', async () => {
    const { code, stdout, stderr } = await rookery(
      {
        ROOKERY_HUB_PORT: '99999',
        ROOKERY_SIGNUP_UNITS: 'many',
        ROOKERY_TYPO: '1',
        DATABASE_URL: 'mysql://secret-word@host/db',
      },
      'serve',
    )
    assert.deepEqual([code, stderr], [1, ''])
    const entries = entriesOf(stdout)
    const { level, msg } = entries[0]!
    assert.deepEqual([level, entries.length], [60, 1])
    const named = ['NETWORK', 'PUBLIC_URL', 'HUB_PORT', 'SIGNUP_UNITS', 'TYPO'].map(
      (name) => `ROOKERY_${name}`,
    )
    for (const name of [...named, 'DATABASE_URL']) assert.match(msg, new RegExp(name))
    assert.doesNotMatch(stdout, /secret-word|\n +at /)
  })

  describe('in production', { concurrency: 1 }, () => {
    let program: Program
    let remove: () => Promise<void>
    before(async () => {
      const place = await createPlace('sqlite')
      remove = place.remove
      const said = `import { isMainThread } from 'node:worker_threads'
        process.emitWarning('a warning of a library')
        if (!isMainThread) console.error('said in a thread')
        else process.on('SIGUSR2', () => { throw new Error('boom') })`
      program = await startProgram('serve', {
        ...place.env,
        ROOKERY_NETWORK: 'mainnet',
        ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
        ROOKERY_HOST: '127.0.0.1',
        ROOKERY_REGISTRY_LIMIT: '5',
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(said)}`,
      })
    })
    after(() => remove())

    it('serve has no development accounts and helpers', async () => {
      for (const path of ['/dev/accounts', '/dev/clock', '/dev/reset']) {
        assert.equal((await fetch(program.operations + path)).status, 404)
      }
      const fids = await (await fetch(`${program.hub}/v1/fids`)).json()
      assert.deepEqual(fids, { fids: [], nextPageToken: '' })
      assert.doesNotMatch(program.output.stdout, /dev\/accounts|--fid/)
    })

    it('security finding 10: in production the limits hold for loopback too', async () => {
      const statuses: number[] = []
      for (let i = 0; i < 6; i++) {
        const url = `${program.registry}/transfers`
        const response = await fetch(url, { method: 'POST', body: '{}' })
        await response.text()
        statuses.push(response.status)
      }
      assert.deepEqual(statuses, [415, 415, 415, 415, 415, 429])
    })

    it('every line that serve prints is JSON, also what libraries and threads print', async () => {
      // Threads start with their first work: to verify a signature.
      const { bytes } = signedCast('by an unknown account', MAINNET)
      const url = `${program.hub}/v1/submitMessage`
      const answer = await fetch(url, { method: 'POST', headers: OCTETS, body: bytes })
      assert.equal(answer.status, 400, await answer.text())
      const { code, stdout, stderr } = await program.stop('SIGUSR2')
      assert.deepEqual([code, stderr], [1, ''])
      const messages = entriesOf(stdout).map(({ msg }) => msg)
      const expected = ['warning of Node', 'listening', 'said in a thread', 'unhandled error']
      for (const one of expected) assert.ok(messages.includes(one), `${one} in ${messages}`)
      assert.ok(messages.some((one) => one.startsWith('Stopping')))
    })
  })
})

describe('a network of another process', () => {
  it('a network ends with the process that started it, however early that is killed', async (t) => {
    const { env, remove } = await createPlace('sqlite')
    t.after(remove)
    const args = JSON.stringify([...MEMORY_FLAGS, PROGRAM, 'start'])
    const text = `const stdio = ['ignore', 'pipe', 'pipe', 'ipc']
      const { pid } = require('node:child_process').spawn(process.execPath, ${args}, { stdio })
      process.stdout.write(String(pid))
      setInterval(() => {}, 1_000)`
    const parent = spawn(process.execPath, ['--eval', text], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [pid] = await once(parent.stdout, 'data')
    parent.kill('SIGKILL')
    const isGone = () => {
      try {
        return !process.kill(Number(pid), 0)
      } catch {
        return true
      }
    }
    t.after(() => isGone() || process.kill(Number(pid), 'SIGKILL'))
    await until(isGone, 'the network has ended')
  })
})

/** The lines of a log, each of which has to be JSON. */
function entriesOf(log: string): { level: number; msg: string }[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
