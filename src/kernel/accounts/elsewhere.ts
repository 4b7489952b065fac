import { Rejection } from '../protocol/rejection.ts'
import type { KeyCalls } from './port.ts'

const refuse = async (): Promise<never> => {
  throw new Rejection(
    'not_supported',
    'accounts here are those of another hub: keys are added there',
  )
}

/** Key calls of a server whose accounts come from a hub that it mirrors. */
export const keyCallsElsewhere: KeyCalls = {
  nonce: refuse,
  simulateAddFor: refuse,
  addFor: refuse,
  removeFor: refuse,
}
