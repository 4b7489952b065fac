import type { Ledger } from '../accounts/ledger.ts'
import type { Mode } from '../base/setting.ts'
import { checkOperator, OPERATOR_CALLS_OFF } from '../http/auth.ts'
import { isLoopback } from '../limits/client.ts'
import { Rejection } from '../protocol/rejection.ts'
import { OnChainEventSchema } from '../protocol/wire/onchain_event_pb.js'
import { type HubMethod, unary } from './hub-method.ts'
import type { Call } from './method.ts'
import { decodeRequest } from './requests.ts'

type AdminOptions = {
  /** Undefined where a chain has the accounts: its events cannot be made up. */
  readonly ledger: Pick<Ledger, 'importEvents'> | undefined
  /** The operator's token. */
  readonly token: string | undefined
  readonly mode: Mode
  readonly addressOf: (call: Call) => string
}

/** What only the operator may call, by path: AdminService as `fc devnet bootstrap` and like tools use it. */
export function adminMethods({
  ledger,
  ...who
}: AdminOptions): Readonly<Record<string, HubMethod>> {
  if (!ledger) return {}
  return {
    '/AdminService/SubmitOnChainEvent': {
      ...unary({ cost: { writes: 1 } }, async (_, bytes) => {
        // It is taken at its word, as by POST /v1/import.
        await ledger.importEvents([decodeRequest(OnChainEventSchema, bytes)])
        return bytes
      }),
      admit: (call) => checkCaller(who, call),
    },
  }
}

/**
 * With a token the caller needs it. Without one a development network obeys this machine, but no web page, which may come
 * from anywhere; a production server obeys nobody.
 */
function checkCaller({ token, mode, addressOf }: Omit<AdminOptions, 'ledger'>, call: Call): void {
  if (token) {
    checkOperator(token, call.header('authorization'))
    return
  }
  if (mode === 'production') throw new Rejection('unauthorized', OPERATOR_CALLS_OFF)
  if (isLoopback(addressOf(call)) && call.header('origin') === undefined) return
  throw new Rejection(
    'unauthorized',
    'without ROOKERY_OPS_TOKEN only programs on this machine may call this',
  )
}
