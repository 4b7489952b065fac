// A bucket that cannot be used is told at the start, by `rookery doctor` and by `rookery init`, with what to do.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { parseEnv } from 'node:util'
import { emptyStore, PRODUCTION_ENV, startServer } from './production.ts'
import { startCommands } from './program.ts'
import { gateBefore, type Refusal, TestStorage } from './s3-support.ts'

/** What storages answer, and what the operator is told. */
const REFUSALS: Readonly<Record<string, { refusal: Refusal; method?: string; told: RegExp }>> = {
  'a wrong secret': {
    refusal: { status: 403, code: 'SignatureDoesNotMatch' },
    told: /does not accept the signature of the key.*correct SECRET .* \/ as %2F/,
  },
  'a wrong region that the answer names': {
    refusal: {
      status: 400,
      code: 'AuthorizationHeaderMalformed',
      more: '<Region>eu-west-3</Region>',
    },
    told: /bucket pictures is not in the region us-east-1.*\?region=eu-west-3/,
  },
  'a wrong region that a redirect names': {
    refusal: {
      status: 301,
      code: 'PermanentRedirect',
      headers: { 'x-amz-bucket-region': 'eu-west-2' },
    },
    told: /not in the region us-east-1.*\?region=eu-west-2/,
  },
  'a key that may not put': {
    refusal: { status: 403, code: 'AccessDenied' },
    method: 'PUT',
    told: /may not put objects .*s3:PutObject/,
  },
  'a key that may not read': {
    refusal: { status: 403, code: 'AccessDenied' },
    method: 'GET',
    told: /may not read objects .*s3:GetObject/,
  },
  'a key that may not remove': {
    refusal: { status: 403, code: 'AccessDenied' },
    method: 'DELETE',
    told: /may not remove objects .*s3:DeleteObject/,
  },
  'an answer without a reason': {
    refusal: { status: 401, code: 'Unauthorized' },
    told: /may not put objects .*\(Unauthorized\).*s3:PutObject/,
  },
}

describe('the bucket of pictures and videos', { concurrency: 1 }, () => {
  const storage = new TestStorage()
  const commands = startCommands()
  before(() => storage.start())
  after(() => Promise.all([commands.stop(), storage.remove()]))

  /** What a server says that does not start, and what doctor says about its bucket. */
  async function told(t: TestContext, url: string): Promise<[start: string, doctor: string]> {
    const env = { ...(await emptyStore(t)), ROOKERY_MEDIA_S3_URL: url }
    const started = await startServer(t, env).then(
      () => 'it started',
      (error: Error) => error.message,
    )
    const settings = { ...PRODUCTION_ENV, ...env, ROOKERY_OPS_URL: 'http://127.0.0.1:9' }
    const { stdout } = await commands.run(settings, 'doctor')
    return [started, stdout.split('\n').find((line) => line.includes(' bucket: '))!]
  }

  async function assertTold(t: TestContext, url: string, expected: RegExp): Promise<void> {
    const [start, doctor] = await told(t, url)
    assert.match(start, expected)
    assert.match(doctor, expected)
    assert.match(doctor, /^wrong bucket: /)
  }

  it('a bucket that can be used is told by doctor, and nothing is left in it', async (t) => {
    assert.deepEqual(await told(t, storage.url()), [
      'it started',
      'ok    bucket: pictures can be used',
    ])
    assert.deepEqual(storage.objects(), [])
  })

  it('a bucket that is not there and a key that is not known are named', async (t) => {
    const other = storage.url().replace(/pictures$/, 'photographs')
    await assertTold(
      t,
      other,
      /there is no bucket photographs at 127\.0\.0\.1:\d+.*make the bucket/,
    )
    const key = storage.url().replace('S3RVER:', 'SOMEBODY:')
    await assertTold(t, key, /does not know the key.*correct KEY in ROOKERY_MEDIA_S3_URL/)
  })

  for (const [what, { refusal, method, told }] of Object.entries(REFUSALS)) {
    it(`${what} is told with what to do`, async (t) => {
      const isMeant = (asked = '') => method === undefined || asked === method
      const gate = await gateBefore(storage.port, (asked) =>
        isMeant(asked.method) ? refusal : undefined,
      )
      t.after(() => gate.close())
      await assertTold(t, storage.url(gate.port), told)
    })
  }

  it('a clock that is an hour behind is told with both times', async (t) => {
    const gate = await gateBefore(
      storage.port,
      () => undefined,
      (headers) => {
        const hourAgo = new Date(Date.now() - 3_600_000).toISOString().replace(/[-:]|\.\d+/g, '')
        return { ...headers, 'x-amz-date': hourAgo }
      },
    )
    t.after(() => gate.close())
    const expected = /clock of this machine says 2\S+Z, that of 127\S+ says 2\S+Z.*timedatectl/
    await assertTold(t, storage.url(gate.port), expected)
  })

  it('a storage that does not answer now is told by doctor, and does not keep the server from starting', async (t) => {
    const [start, doctor] = await told(t, storage.url(9))
    assert.equal(start, 'it started')
    assert.match(doctor, /^wrong bucket: .*127\.0\.0\.1:9 cannot be reached \(ECONNREFUSED\)/)
  })

  it('init tries the bucket and writes its setting as a shell reads it', async (t) => {
    const { ROOKERY_DATA_DIR: dir } = await emptyStore(t)
    const init = (url: string, out: string, ...more: string[]) =>
      commands.run(
        { ROOKERY_MEDIA_S3_URL: url },
        ...['init', '--host', 'social.example.org', '--yes', '--out', join(dir!, out), ...more],
      )
    const wrong = await init(storage.url().replace(/pictures$/, 'photographs'), 'wrong')
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /^wrong bucket: there is no bucket photographs/m)
    const { code, stderr } = await init(
      storage.url().replace(':S3RVER@', ':a$b@'),
      'right',
      '--force',
    )
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^ok {4}bucket: pictures can be used$/m)
    const { ROOKERY_MEDIA_S3_URL } = parseEnv(readFileSync(join(dir!, 'right', 'env'), 'utf8'))
    assert.equal(ROOKERY_MEDIA_S3_URL, storage.url().replace(':S3RVER@', ':a%24b@'))
  })
})
