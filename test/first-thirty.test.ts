// An owner, from an empty machine to thirty people, with nothing but what `rookery init` has printed: the program is started once,
// and everything after that is asked for at the front door, in the name of accounts.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { actionOf } from '../src/features/joining/join-requests.ts'
import {
  callJson,
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
} from '../src/kernel/accounts/signatures/sign.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { accountDataTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { createPlace, type Env, type Program, rookery, startProgram } from './program.ts'
import { appToken } from './world.ts'

const HOST = 'club.example'
const INVITES = 5
const PEOPLE = 30

type Person = {
  readonly custody: LocalAccount
  readonly seed: Uint8Array
  readonly key: Uint8Array
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Answer = { readonly status: number; readonly body: any }

function newPerson(): Person {
  const seed = new Uint8Array(randomBytes(32))
  return { custody: privateKeyToAccount(generatePrivateKey()), seed, key: publicKeyOf(seed) }
}

describe('the first thirty people of a server', { concurrency: 1 }, () => {
  let program: Program
  let removePlace: () => Promise<void>
  let out: string
  let joinLink: URL
  let owner: Person & { readonly fid: number }
  /** People come from everywhere, by the proxy of the machine. */
  let clients = 0
  before(async () => {
    out = mkdtempSync(join(tmpdir(), 'rookery-thirty-'))
    const dir = join(out, 'setup')
    // The machine of the tests need not be one for a server.
    const args = ['--host', HOST, '--yes', '--force', '--json', '--out', dir]
    const made = await rookery({}, 'init', ...args)
    assert.equal(made.code, 0, made.stderr)
    joinLink = new URL(JSON.parse(made.stdout).join)
    assert.equal(joinLink.host, HOST)
    const place = await createPlace('sqlite')
    removePlace = place.remove
    const written = parseEnv(readFileSync(join(dir, 'env'), 'utf8')) as Env
    program = await startProgram('serve', {
      ...written,
      ...place.env,
      ROOKERY_VIEWS: 'on',
      ROOKERY_BACKUP_DIR: join(out, 'backups'),
      ROOKERY_CONFIRMATION_MS: '0',
    })
  })
  after(async () => {
    await program?.stop()
    await removePlace?.()
    rmSync(out, { recursive: true, force: true })
  })

  async function call(
    path: string,
    { method, body, token }: { method?: string; body?: object; token?: string } = {},
  ): Promise<Answer> {
    const response = await fetch(program.web + path, {
      method: method ?? (body ? 'POST' : 'GET'),
      headers: {
        'x-forwarded-for': `10.${clients++ % 250}.0.1`,
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  /** A call of the room, as the page makes it for an account. */
  async function asOwner(path: string, body?: object, method?: string) {
    const claims = { exp: Math.floor(Date.now() / 1_000) + 60, aud: `https://${HOST}` }
    const account = { ...owner, custody: new Uint8Array() }
    const token = appToken(account, claims)
    const answer = await call(`/platform/v1${path}`, {
      ...{ token, ...(body && { body }), ...(method && { method }) },
    })
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  let info: Answer['body']
  const deadline = () => BigInt(Math.floor(Date.now() / 1_000) + 3_600)
  const domains = () => accountDomains(info.accounts)

  /** Registers, and adds a key of the own account, as the page does. Answers the fid, or the code of the refusal. */
  async function register(person: Person, invite?: string): Promise<number | string> {
    const terms = { deadline: deadline(), domains: domains() }
    const signed = await signRegister(person.custody, terms)
    const registration = { ...callJson(signed), ...(invite && { invite }) }
    const made = await call('/accounts/v1/registerFor', { body: registration })
    if (made.status !== 200) return made.body.code
    const { fid } = made.body
    const { custody, key } = person
    const metadata = await signedKeyRequestMetadata(custody, { requestFid: fid, key, ...terms })
    const added = await call('/accounts/v1/addFor', {
      body: callJson(await signAdd(custody, { key, metadata, ...terms })),
    })
    assert.equal(added.status, 200, JSON.stringify(added.body))
    return fid
  }

  async function askToJoin(person: Person, called: string): Promise<string> {
    const words = { called, reason: 'I keep pigeons' }
    const until = Number(deadline())
    const data = accountDataTypedData(
      { action: actionOf(words), fid: 0, network: info.network, deadline: until },
      domains().idRegistry,
    )
    // viem infers structs from literal types; here they are data like any other.
    const signature = await person.custody.signTypedData(data as never)
    const body = { ...words, address: person.custody.address, deadline: until, signature }
    const asked = await call('/accounts/v1/join-requests', { body })
    assert.equal(asked.status, 200, JSON.stringify(asked.body))
    return asked.body.ticket
  }

  it('the first person joins by the link that init has printed, and is the operator', async () => {
    info = (await call('/accounts/v1/info')).body
    assert.equal(info.signup, 'invite')
    const code = joinLink.searchParams.get('invite')!
    assert.equal((await call(`/accounts/v1/invites/${code}`)).body.role, 'operator')
    assert.equal(await register(newPerson()), 'signup.invite_required')
    const person = newPerson()
    const fid = await register(person, code)
    owner = { ...person, fid: fid as number }
    const { result } = await asOwner('/own-standing')
    assert.deepEqual([result.role, result.consent], ['operator', null])
  })

  it('the owner writes the rules and makes five invites, of which each admits one', async () => {
    await asOwner('/server/texts', { texts: { rules: '- Be kind' } }, 'PUT')
    for (let n = 0; n < INVITES; n++) {
      const { code, link } = await asOwner('/accounts/invites', { uses: 1, days: 7 })
      assert.ok(link.startsWith(`https://${HOST}/join?invite=`), link)
      assert.equal(typeof (await register(newPerson(), code)), 'number')
      assert.equal(await register(newPerson(), code), 'signup.invalid_invite')
    }
  })

  it('people ask to join, are let in at once, and the numbers of the room are those of now', async () => {
    const { value } = await asOwner('/server/settings/ROOKERY_SIGNUP', { value: 'approval' }, 'PUT')
    assert.equal(value, 'approval')
    const asking = Array.from({ length: PEOPLE - INVITES - 1 }, newPerson)
    const tickets: string[] = []
    for (const [n, person] of asking.entries()) tickets.push(await askToJoin(person, `Dove ${n}`))
    assert.equal((await asOwner('/own-standing')).result.waiting, asking.length)
    const { requests } = await asOwner('/joining/requests')
    const { results } = await asOwner('/joining/requests/decide', {
      outcome: 'approved',
      answer: 'Welcome',
      requests: requests.map(({ address, askedAt }: { address: string; askedAt: number }) => ({
        address,
        askedAt,
      })),
    })
    assert.equal(results.length, asking.length)
    assert.ok(results.every(({ error }: { error: unknown }) => error === null))
    assert.equal((await call(`/accounts/v1/join-requests/${tickets[0]}`)).body.state, 'approved')
    for (const person of asking) assert.equal(typeof (await register(person)), 'number')
    const { series } = await asOwner('/samples')
    assert.equal(series.rookery_join_requests.at(-1), 0)
    const { result } = await asOwner('/people?limit=100')
    assert.equal(result.people.length, PEOPLE)
  })
})
