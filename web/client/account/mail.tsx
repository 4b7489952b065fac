import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Notice } from '../../shared/page.tsx'
import { fetchJson } from '../../shared/request.ts'
import { dateText } from '../../shared/text.ts'
import { changeRecovery } from '../act/account-calls.ts'
import { Text } from '../act/text-field.tsx'
import type { Opened } from '../custody/open.ts'
import { readRecovery } from '../custody/recovery-terms.ts'
import { ownerRequest } from '../custody/server.ts'
import type { PartProps } from './part.ts'
import { useWork } from './use-work.tsx'

type OwnMail = { address: string | null; pending: string | null; refusedAt: number | null }

const NOBODY = `0x${'00'.repeat(20)}`
const MAX_ADDRESS_CHARACTERS = 254

/** Whether this server sends e-mail. */
export const useMailTerms = () =>
  useQuery({
    queryKey: ['mail terms'],
    queryFn: () => fetchJson<{ isOn: boolean }>('/accounts/v1/mail'),
  })

/** The e-mail address of the account, where the server sends mail. */
export function Mail({ fid, opened }: PartProps) {
  const terms = useMailTerms()
  if (!terms.data?.isOn) return null
  return (
    <section className="account-part" aria-labelledby="mail">
      <h2 id="mail">E-mail</h2>
      <p className="muted">
        Nobody sees your address. You are told there what touches your account, and can get the
        account back with it.
      </p>
      {opened ? <OwnAddress fid={fid} opened={opened} /> : <p>Unlock your account to see it.</p>}
    </section>
  )
}

function OwnAddress({ fid, opened }: { fid: number; opened: Opened }) {
  const { connection } = opened
  const own = useQuery({
    queryKey: ['own mail', fid],
    queryFn: async () =>
      post<OwnMail>('own', await ownerRequest(connection, fid, 'read mail address')),
  })
  const [address, setAddress] = useState('')
  const { isBusy, run, said } = useWork()
  const add = () =>
    run(async () => {
      const text = address.trim()
      const request = await ownerRequest(connection, fid, `add mail address ${text}`)
      await post('address', { ...request, address: text })
      await allowRecovery(opened, fid)
      setAddress('')
      await own.refetch()
      return 'A link is on its way. Press the button on the page that it opens, within an hour.'
    })
  const remove = () =>
    run(async () => {
      await post('remove', await ownerRequest(connection, fid, 'remove mail address'))
      await own.refetch()
      return 'Removed.'
    })
  if (own.error) return <Notice tone="bad">{own.error.message}</Notice>
  const { address: now, pending, refusedAt } = own.data ?? {}
  return (
    <>
      {now && (
        <p>
          <bdi>{now}</bdi>{' '}
          <button type="button" className="link" disabled={isBusy} onClick={remove}>
            Remove it
          </button>
        </p>
      )}
      {refusedAt != null && (
        <Notice tone="warn">
          Mails come back since {dateText(refusedAt)}: look whether the address is still right.
        </Notice>
      )}
      {pending && (
        <p className="muted">
          <bdi>{pending}</bdi> waits for its link to be opened.
        </p>
      )}
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <Text
          label={now ? 'Another address' : 'Your e-mail address'}
          help="A link is sent there."
          type="email"
          autoComplete="email"
          value={address}
          maxLength={MAX_ADDRESS_CHARACTERS}
          onChange={setAddress}
        />
        <p className="buttons">
          <button type="submit" className="secondary" disabled={isBusy || !address.includes('@')}>
            Send the link
          </button>
        </p>
      </form>
      {said}
    </>
  )
}

const post = <T,>(call: string, body: object): Promise<T> =>
  fetchJson<T>(`/accounts/v1/mail/${call}`, { method: 'POST', body })

/** Names the recovery service of the server where nobody may recover the account yet: without it a mail brings nothing back. */
async function allowRecovery({ connection }: Opened, fid: number): Promise<void> {
  const [{ service }, { recoveryAddress }] = await Promise.all([
    readRecovery(fid),
    fetchJson<{ recoveryAddress: string }>('/accounts/v1/account', { query: { fid } }),
  ])
  if (service && recoveryAddress === NOBODY) await changeRecovery(connection, service.address)
}
