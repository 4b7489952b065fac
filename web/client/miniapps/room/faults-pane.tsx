import { type RoomState, SLOW_MS } from './room-state.ts'

const REJECTED = { error: { type: 'rejected_by_user' } }

/** Faults that users and servers make, each for the next call of one method. */
const FAULTS: readonly {
  readonly text: string
  readonly method: string
  readonly answer: unknown
}[] = [
  { text: 'The user refuses to add the app', method: 'addFrame', answer: REJECTED },
  {
    text: 'The manifest is not valid',
    method: 'addFrame',
    answer: { error: { type: 'invalid_domain_manifest' } },
  },
  { text: 'The user refuses to sign in', method: 'signIn', answer: REJECTED },
  { text: 'The user does not cast', method: 'composeCast', answer: { cast: null } },
  {
    text: 'The user refuses in the wallet',
    method: 'ethProviderRequestV2',
    answer: { jsonrpc: '2.0', id: 0, error: { code: 4001, message: 'The user refused.' } },
  },
  { text: 'There is no wallet', method: 'getCapabilities', answer: ['actions.ready'] },
  { text: 'There is no chain', method: 'getChains', answer: [] },
  { text: 'The context has nobody', method: 'context', answer: null },
]

export function FaultsPane({ room }: { room: RoomState }) {
  const { faults, isSlow } = room.useChoices()
  return (
    <details className="room-pane">
      <summary>Faults</summary>
      <label className="check">
        <input
          type="checkbox"
          checked={isSlow}
          onChange={({ target }) => room.choose({ isSlow: target.checked })}
        />
        Every answer takes {SLOW_MS / 1_000} seconds
      </label>
      <p className="muted">The next call of the method gets this answer:</p>
      <ul className="room-faults">
        {FAULTS.map(({ text, method, answer }) => (
          <li key={text}>
            <label className="check">
              <input
                type="checkbox"
                checked={faults[method] === answer}
                onChange={({ target }) => {
                  const { [method]: _, ...others } = faults
                  room.choose({ faults: target.checked ? { ...others, [method]: answer } : others })
                }}
              />
              {text}
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}
