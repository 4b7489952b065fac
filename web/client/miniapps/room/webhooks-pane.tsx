import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bytesOf, utf8Of } from '../../../shared/bytes.ts'
import { Notice } from '../../../shared/page.tsx'
import { fetchJson } from '../../../shared/request.ts'
import { dateText } from '../../../shared/text.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import { tell } from '../../act/notices.tsx'
import { platform } from '../calls.ts'
import { ScrollList } from './scroll-list.tsx'
import { countOf } from './words.ts'

type Delivery = {
  readonly n: number
  readonly fid: number
  readonly event: string
  readonly body: string
  readonly state: 'waiting' | 'delivered' | 'dropped'
  readonly attempts: number
  readonly queuedAt: number
  readonly answer?: string
}

const PATH = '/fc/mini-app-deliveries'
const REFRESHED_EVERY_MS = 2_000

/** What the server of the app was told, and whether it took it. */
export function WebhooksPane({ browserKey, domain }: { browserKey: BrowserKey; domain: string }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['mini app deliveries', domain, browserKey.fid],
    queryFn: () =>
      platform<{ deliveries: readonly Delivery[] }>(PATH, { query: { domain } }, browserKey),
    retry: false,
    staleTime: 0,
    enabled: isOpen,
    refetchInterval: REFRESHED_EVERY_MS,
  })
  const again = async (n: number) => {
    await platform(`${PATH}/again`, { method: 'POST', body: { domain, n } }, browserKey)
    await refetch()
  }
  return (
    <details className="room-pane" onToggle={({ newState }) => setOpen(newState === 'open')}>
      <summary>Webhooks</summary>
      {error && <Notice tone="bad">{error.message}</Notice>}
      {data?.deliveries.length === 0 && <p className="muted">Nothing was sent yet.</p>}
      <ScrollList label="Deliveries">
        <ul className="room-faults">
          {data?.deliveries.map((one) => (
            <li key={one.n}>
              <p>
                <strong>{one.event}</strong> of account {one.fid}: {one.state} after{' '}
                {countOf(one.attempts, 'attempt')}{' '}
                <span className="muted">{dateText(one.queuedAt / 1_000)}</span>
              </p>
              {one.answer && <p className="muted">{one.answer}</p>}
              <pre>{payloadOf(one.body)}</pre>
              <p className="room-tools">
                <button
                  type="button"
                  className="link"
                  onClick={() => again(one.n).catch((reason) => tell(reason.message))}
                >
                  Send {one.n} again
                </button>
                <Verify body={one.body} />
              </p>
            </li>
          ))}
        </ul>
      </ScrollList>
    </details>
  )
}

type Signed = { readonly header: string; readonly payload: string; readonly signature: string }

const textOf = (part: string): string => new TextDecoder().decode(bytesOfBase64url(part))

const bytesOfBase64url = (part: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  )

const payloadOf = (body: string): string =>
  JSON.stringify(JSON.parse(textOf((JSON.parse(body) as Signed).payload)), null, 1)

/** The rules of the published library: the signature is that of the key, and the key is one of the account. */
function Verify({ body }: { body: string }) {
  const [said, setSaid] = useState<string>()
  const check = async () => {
    const { header, payload, signature } = JSON.parse(body) as Signed
    const { fid, key } = JSON.parse(textOf(header)) as { fid: number; key: string }
    const raw = await crypto.subtle.importKey('raw', bytesOf(key), 'Ed25519', false, ['verify'])
    const signed = utf8Of(`${header}.${payload}`)
    const isSigned = await crypto.subtle.verify('Ed25519', raw, bytesOfBase64url(signature), signed)
    const query = { fid, signer: key }
    const isKnown = await fetchJson('/hub/v1/onChainSignersByFid', { query }).then(
      () => true,
      () => false,
    )
    setSaid(
      !isSigned ? 'The signature is wrong.' : isKnown ? 'It verifies.' : 'The key was removed.',
    )
  }
  return (
    <>
      <button
        type="button"
        className="link"
        onClick={() => check().catch((reason) => setSaid(reason.message))}
      >
        Verify
      </button>
      <span role="status">{said}</span>
    </>
  )
}
