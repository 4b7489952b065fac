import { fromBinary } from '@bufbuild/protobuf'
import {
  IdRegisterEventType,
  OnChainEventSchema,
  OnChainEventType,
} from '../../protocol/wire/onchain_event_pb.js'
import type { Reader } from '../storage.ts'

/** When these fids were registered, in Unix seconds; those that are not are missing. */
export async function registrationTimes(
  { accounts }: Pick<Reader, 'accounts'>,
  fids: readonly number[],
): Promise<Map<number, number>> {
  const type = OnChainEventType.EVENT_TYPE_ID_REGISTER
  const times = new Map<number, number>()
  for (const { fid, body } of await accounts.eventsOf(fids.map((fid) => ({ fid, type })))) {
    const event = fromBinary(OnChainEventSchema, body)
    if (event.body.case !== 'idRegisterEventBody') continue
    if (event.body.value.eventType !== IdRegisterEventType.REGISTER) continue
    const time = Number(event.blockTimestamp)
    times.set(fid, Math.min(time, times.get(fid) ?? time))
  }
  return times
}
