import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Notice } from '../../../shared/page.tsx'
import { ActAs } from '../../act/development.tsx'
import type { BrowserKey } from '../../act/key-store.ts'
import { useOwnUser } from '../../parts/discover.tsx'
import { handleOf } from '../../parts/person.tsx'
import { Title } from '../../parts/title.tsx'
import { NotFound } from '../../screens/not-found.tsx'
import { isDevelopment } from '../../shell/development-panel.tsx'
import { useKey } from '../use-key.ts'
import { AddressForm, addressOf } from './address.tsx'
import './room.css'

type Props = {
  title: string
  heading: string
  /** Of the field for the address. */
  label: string
  /** An address as developers have it. */
  example: string
  /** Asks who has not chosen an account. */
  chooseAccount: string
  /** What is at the address, for the account that acts. */
  open: (url: string, key: BrowserKey) => ReactNode
  /** Shown while there is no address. */
  otherwise?: ReactNode
}

/** A page on which developers write the address of what runs on their machine, and choose who uses it. */
export function RoomFrame(props: Props) {
  const { title, heading, label, example, chooseAccount, open, otherwise } = props
  const key = useKey()
  const user = useOwnUser()
  const [params, setParams] = useSearchParams()
  if (!isDevelopment()) return <NotFound />
  const given = params.get('url') ?? ''
  const url = addressOf(given)
  return (
    <div className="room">
      <Title>{title}</Title>
      <header className="room-head">
        <h1>{heading}</h1>
        <AddressForm
          label={label}
          placeholder={example}
          given={given}
          open={(text) => setParams(text === '' ? {} : { url: text })}
        />
      </header>
      {given !== '' && !url && (
        <Notice tone="bad">That is no address. Write one such as {example}.</Notice>
      )}
      <details className="room-pane" open={key === null}>
        <summary>
          {key ? `Acting as ${user ? handleOf(user) : `account ${key.fid}`}` : 'Act as an account'}
        </summary>
        {key === null && <p>{chooseAccount}</p>}
        <ActAs />
      </details>
      {url && key && open(url, key)}
      {!url && otherwise}
    </div>
  )
}
