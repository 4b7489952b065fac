import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { KINDS } from '../kinds/kinds.ts'
import { nameProofSchema } from '../kinds/username-proof.ts'
import { MessageType } from '../wire/message_pb.js'
import { hubEventSchema, messageSchema, onChainEventSchema } from './entity-schemas.ts'
import type { JsonSchema } from './json-schema.ts'

/** The same schema, refusing every property that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  // A compiler takes each $id once, and a schema that occurs twice has its $id twice.
  const entries = Object.entries(schema)
    .filter(([key]) => key !== '$id')
    .map(([key, value]) => [key, closed(value)])
  const copy = Object.fromEntries(entries)
  return copy.type === 'object' ? { ...copy, additionalProperties: false } : copy
}

const validator = (schema: JsonSchema) => Compile(closed(schema) as TSchema)

const SCHEMAS: Readonly<Record<string, ReturnType<typeof validator>>> = {
  message: validator(messageSchema),
  hubEvent: validator(hubEventSchema),
  onChainEvent: validator(onChainEventSchema),
  userNameProof: validator(nameProofSchema),
}

const folder = new URL('../../../../fixtures/json/', import.meta.url)
// This hub stores no failures, so its documents do not describe their events.
const names = readdirSync(folder).filter((name) => !name.includes('merge-failure'))

for (const name of names) {
  const { kind, json } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  test(`the schema of a ${kind} describes every property of ${name}`, () => {
    const schema = SCHEMAS[kind]!
    assert.deepEqual([...schema.Errors(json)], [])
  })
}

test('the schema of a message refuses a body that is not of its type', () => {
  const { json } = JSON.parse(readFileSync(new URL('message-cast-plain.json', folder), 'utf8'))
  const schema = SCHEMAS.message!
  assert.equal(
    schema.Check({ ...json, data: { ...json.data, type: 'MESSAGE_TYPE_LINK_ADD' } }),
    false,
  )
  assert.equal(schema.Check({ ...json, hash: json.hash.slice(0, -1) }), false)
})

test('every message type of the fixtures is in the table of kinds, and each type once', () => {
  const types = KINDS.map(({ type }) => type)
  assert.equal(new Set(types).size, types.length)
  const met = names
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    .filter(({ kind }) => kind === 'message')
    .map(({ json }) => MessageType[json.data.type.replace('MESSAGE_TYPE_', '')])
  for (const type of met) assert.ok(types.includes(Number(type)), `type ${type}`)
})
