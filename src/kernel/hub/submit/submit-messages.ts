import { encodeEnvelope } from '../../protocol/codec/envelope.ts'
import type { SignedMessage } from '../../protocol/message.ts'
import type { Rejection } from '../../protocol/rejection.ts'
import type { Hub } from '../hub.ts'

/**
 * Submits messages that this program built. Resolves for each, in order, to the id of the event that reports it or to the
 * Rejection.
 */
export async function submitMessages(
  hub: Pick<Hub, 'submit'>,
  messages: readonly SignedMessage[],
): Promise<(number | Rejection)[]> {
  const outcomes = await hub.submit(messages.map(encodeEnvelope))
  return outcomes.map((outcome) => ('id' in outcome ? outcome.id : outcome.rejection))
}

/** Messages that this program built for somebody who waits for the outcome. */
export const keyMessagesOf = (hub: Pick<Hub, 'submit' | 'validate'>, network: number) => ({
  network,
  async check(message: SignedMessage): Promise<void> {
    const verdict = await hub.validate(message)
    if (!verdict.valid) throw verdict.reason
  },
  async submit(message: SignedMessage): Promise<void> {
    const [outcome] = await submitMessages(hub, [message])
    if (typeof outcome !== 'number') throw outcome
  },
})
