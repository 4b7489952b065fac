import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SubmitOutcome } from '../../kernel/hub/submit/pipeline.ts'
import { asClient } from '../../kernel/limits/current-client.ts'
import { buildMessage, castAdd } from '../../kernel/protocol/build.ts'
import { encodeEnvelope } from '../../kernel/protocol/codec/envelope.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { Forwarder } from './submits.ts'

const MESSAGE = encodeEnvelope(
  buildMessage(
    castAdd({ fid: 1, timestamp: 1, network: 3 }, { text: 'waits' }),
    Buffer.alloc(32, 1),
  ),
)

test('one client with many submits that wait for the source does not keep the submits of others out', async () => {
  const invalid = { valid: false, reason: new Rejection('bad_request', 'the end') } as const
  const ended = Promise.withResolvers<typeof invalid>()
  const forwarder = new Forwarder({
    ownId: 'own',
    hub: { validate: () => ended.promise },
  } as unknown as ConstructorParameters<typeof Forwarder>[0])
  const submit = (client: string | undefined, count: number) =>
    asClient(client, () => forwarder.submit(Array.from({ length: count }, () => MESSAGE)))
  const messages = (outcomes: readonly SubmitOutcome[]) =>
    outcomes.map((one) => ('rejection' in one ? one.rejection.message : 'stored'))
  const many = submit('192.0.2.1', 2_000)
  const others = [submit('192.0.2.2', 1), submit(undefined, 1)]
  await sleep(0)
  ended.resolve(invalid)
  const refused = messages(await many).filter((text) => text.startsWith('too many submits wait'))
  assert.equal(refused.length, 1_750)
  for (const other of others) assert.deepEqual(messages(await other), ['the end'])
})
