// A small network for tests of the app API, its published client, and checks of what it answers.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Configuration, NeynarAPIClient } from '@neynar/nodejs-sdk'
import { Compile } from 'typebox/compile'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import {
  castAdd,
  type DataInit,
  linkAdd,
  type Origin,
  reactionAdd,
  userDataAdd,
} from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { ReactionType, type UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { indexed } from './indexed.ts'
import { type Answer, createWorld, type EngineName, type TestAccount, type World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers and schemas are read by path
export type Json = any

const SCHEMAS: { methods: Record<string, string>; definitions: Record<string, Json> } = JSON.parse(
  readFileSync(new URL('../fixtures/app-api/sdk-schemas.json', import.meta.url), 'utf8'),
)

/** What casts have beside what the client declares. */
const OF_CASTS = { lang: { type: 'string', pattern: '^[a-z]{2}$' } }
const isCast = ({ properties }: Json): boolean => properties?.hash && properties.parent_author

/** The schema with every reference replaced by what it refers to. */
function inlined(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(inlined)
  if (typeof schema !== 'object' || schema === null) return schema
  if (schema.$ref) return inlined(SCHEMAS.definitions[schema.$ref.split('/').at(-1)])
  const whole = Object.entries(schema).map(([key, value]) => [key, inlined(value)])
  const { properties, ...others } = Object.fromEntries(whole)
  return properties
    ? { ...others, properties: { ...properties, ...(isCast(schema) && OF_CASTS) } }
    : others
}

const validators = new Map<string, ReturnType<typeof Compile>>()

/** Fails unless an answer is exactly what the client declares for a method. */
export function checkAnswer(method: string, answer: unknown): void {
  const name = SCHEMAS.methods[method]!
  const validator = validators.get(name) ?? Compile(inlined(SCHEMAS.definitions[name]))
  validators.set(name, validator)
  if (validator.Check(answer)) return
  const [first] = validator.Errors(answer)
  assert.fail(`${method}: ${JSON.stringify(first)} in ${JSON.stringify(answer).slice(0, 500)}`)
}

export type Network = {
  readonly world: World
  readonly accounts: readonly TestAccount[]
  /** The published client of apps, with every answer checked. */
  readonly client: NeynarAPIClient
  /** Builds and submits a message; the clock moves on by a second. */
  send(account: TestAccount, make: (origin: Origin) => DataInit): Promise<SignedMessage>
  cast(account: TestAccount, cast: Parameters<typeof castAdd>[1]): Promise<string>
  like(account: TestAccount, fid: number, hash: string): Promise<SignedMessage>
  recast(account: TestAccount, fid: number, hash: string): Promise<SignedMessage>
  follow(account: TestAccount, target: number): Promise<SignedMessage>
  /** Resolves when everything that was sent can be read. */
  indexed(): Promise<void>
  /** GET below the prefix of the app API. */
  get(path: string, query?: Record<string, string>, key?: string): Promise<Answer>
}

export const bytesOfHash = (hash: string): Uint8Array => Buffer.from(hash.slice(2), 'hex')

/** A running server with the views, and accounts with names: fid 2 is user2. */
export async function createNetwork(
  engine: EngineName,
  fids: readonly number[],
  env: Readonly<Record<string, string>> = {},
  logLines?: string[],
): Promise<Network> {
  const world = await createWorld({
    ...{ engine, env: { ROOKERY_VIEWS: 'on', ...env } },
    ...(logLines && { logLines }),
  })
  const accounts = await world.accounts(fids, { units: 20 })
  const send: Network['send'] = async (account, make) => {
    world.clock.advance(1_000)
    const message = world.sign(account, make(world.origin(account)))
    const { status, body } = await world.submit(message)
    assert.equal(status, 200, JSON.stringify(body))
    return message
  }
  const react = (type: ReactionType) => (account: TestAccount, fid: number, hash: string) =>
    send(account, (origin) => reactionAdd(origin, type, { fid, hash: bytesOfHash(hash) }))
  const network: Network = {
    world,
    accounts,
    client: checkedClient(world.app.urls.app),
    send,
    cast: async (account, cast) =>
      toHex((await send(account, (origin) => castAdd(origin, cast))).hash),
    like: react(ReactionType.LIKE),
    recast: react(ReactionType.RECAST),
    follow: (account, target) => send(account, (origin) => linkAdd(origin, 'follow', target)),
    indexed: () => indexed(world.app),
    async get(path, query = {}, key = DEVELOPMENT_KEY) {
      const url = `${world.app.urls.app}/v2/farcaster${path}?${new URLSearchParams(query)}`
      const response = await fetch(url, { headers: { 'x-api-key': key } })
      return { status: response.status, body: await response.json(), headers: response.headers }
    },
  }
  // Until the views are built the app API answers 503.
  await network.indexed()
  return network
}

/** Gives an account a display name, a bio and so on. */
export const profile = (
  network: Network,
  account: TestAccount,
  type: UserDataType,
  value: string,
): Promise<SignedMessage> => network.send(account, (origin) => userDataAdd(origin, type, value))

/** The client, which checks what each of its methods answers. */
export function checkedClient(basePath: string, apiKey = DEVELOPMENT_KEY): NeynarAPIClient {
  const client = new NeynarAPIClient(new Configuration({ apiKey, basePath }))
  return new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function' || !(String(name) in SCHEMAS.methods)) return value
      return async (...parameters: unknown[]) => {
        const answer = await value.apply(target, parameters)
        checkAnswer(String(name), answer)
        return answer
      }
    },
  })
}
