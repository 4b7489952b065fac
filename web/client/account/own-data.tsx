import { useState } from 'react'
import { useNavigate } from 'react-router'
import { fetchJson } from '../../shared/request.ts'
import type { Connection } from '../../wallets/provider.ts'
import { releaseName } from '../act/account-calls.ts'
import { forgetKey } from '../act/key-store.ts'
import { clearOverrides } from '../act/overrides.ts'
import { forgetKept, noteUnsaved } from '../custody/kept.ts'
import { listOnServer, ownerRequest } from '../custody/server.ts'
import { useSession } from '../session/session.tsx'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

/** All pages of an export that the owner has signed for. */
async function pagesOf<T>(call: string, signed: object, itemsOf: (page: T) => readonly unknown[]) {
  const items: unknown[] = []
  for (let pageToken = ''; ; ) {
    const body = { ...signed, ...(pageToken && { pageToken }) }
    const page = await fetchJson<T & { nextPageToken: string }>(`/accounts/v1/${call}`, {
      method: 'POST',
      body,
    })
    items.push(...itemsOf(page))
    pageToken = page.nextPageToken
    if (pageToken === '') return items
  }
}

/** Everything that the server keeps of an account but files, in one file. */
async function download(connection: Connection, fid: number): Promise<void> {
  const signed = await ownerRequest(connection, fid, 'export')
  const messages = await pagesOf(
    'export-messages',
    signed,
    (page: { messages: string[] }) => page.messages,
  )
  const rows = await pagesOf('export-rows', signed, (page: { rows: object[] }) => page.rows)
  // The export leaves out what opens them; this file may be the last copy that somebody has.
  const [account, sealedKeys] = await Promise.all([
    fetchJson('/accounts/v1/account', { query: { fid } }),
    listOnServer(connection, fid),
  ])
  const what = 'messages: serialised protobuf messages of Farcaster, in base64'
  const text = JSON.stringify({
    server: location.origin,
    ...{ what, account, rows, sealedKeys, messages },
  })
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  Object.assign(document.createElement('a'), { href: url, download: `account-${fid}.json` }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Downloading and deleting what one has written. */
export function OwnData({ fid, username, opened }: PartProps) {
  const [isAsked, setAsked] = useState(false)
  const { become } = useSession()
  const navigate = useNavigate()
  const { isBusy, run, said } = useWork()
  const erase = () =>
    run(async () => {
      const { connection } = opened!
      if (!username.startsWith('!')) await releaseName(connection, fid, username).catch(() => {})
      const body = await ownerRequest(connection, fid, 'erase')
      await fetchJson('/accounts/v1/erase-messages', { method: 'POST', body })
      await forgetKey(fid)
      await forgetKept(connection.address)
      noteUnsaved(undefined)
      clearOverrides()
      become(undefined)
      navigate('/')
      return 'Deleted.'
    })
  return (
    <section className="account-part" aria-labelledby="data">
      <h2 id="data">Your data</h2>
      {!opened && <p className="muted">Unlock above to download or delete it.</p>}
      {opened && (
        <p className="buttons">
          <button
            type="button"
            className="secondary"
            disabled={isBusy}
            onClick={() =>
              run(async () => {
                await download(opened.connection, fid)
                return 'Downloaded.'
              })
            }
          >
            Download my data
          </button>
          {!isAsked && (
            <button type="button" className="secondary" onClick={() => setAsked(true)}>
              Delete my account …
            </button>
          )}
        </p>
      )}
      {opened && isAsked && (
        <>
          <p>
            This deletes everything you have written here, your profile, follows and likes, and the
            locked copies of your key, for good. Your name is released when its 28 days are over.
            Other servers that have copies are told, and may keep them.
          </p>
          <p className="buttons">
            <button type="button" className="danger" disabled={isBusy} onClick={erase}>
              Delete for good
            </button>
            <button type="button" className="secondary" onClick={() => setAsked(false)}>
              Keep it
            </button>
          </p>
        </>
      )}
      {said}
    </section>
  )
}
