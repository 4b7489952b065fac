import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import {
  ALL_NOTICE_KINDS,
  type NoticeType,
} from '../../../src/kernel/storage/views/notice-kinds.ts'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { rich } from '../../shared/rich.tsx'
import { dateText } from '../../shared/text.ts'
import { useWork } from '../account/use-work.tsx'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import { useOwn } from '../moderation/own.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { PushDevice, PushKind } from '../types.ts'
import {
  deviceIdOf,
  findObstacle,
  findSubscription,
  type Obstacle,
  putDevice,
  readDevices,
  removeDevice,
  subscribe,
} from './device.ts'
import '../custody/custody.css'

/** Those that are on at first come first. */
const NOTICES = ALL_NOTICE_KINDS.toSorted(
  (a, b) => Number(b.isOnAtFirst) - Number(a.isOnAtFirst) || a.number - b.number,
)
const KIND_TEXTS: Readonly<Record<NoticeType, string>> = {
  follows: t('New followers'),
  recasts: t('{Reposts} of your {posts}'),
  likes: t('Likes of your {posts}'),
  mention: t('Mentions of you'),
  reply: t('Replies to you'),
  quote: t('Quotes of your {posts}'),
}
const KINDS: readonly (readonly [PushKind, string])[] = [
  ...NOTICES.map(({ group, type }) => [group, KIND_TEXTS[type]] as const),
  ['apps', t('Mini apps that you have added')],
]
/** What is on when somebody turns notifications on. */
const FIRST_KINDS = NOTICES.filter(({ isOnAtFirst }) => isOnAtFirst).map(({ group }) => group)

/** What this browser, and other devices, are told of while the page is closed. */
export function Component() {
  const { fid } = useSession()
  return (
    <>
      <Title>{t('Push notifications')}</Title>
      {fid === undefined ? (
        <Shown isScreen icon="bell" heading={t('Sign in to be told of what is new')}>
          <p>
            <Link to="/join?back=%2Fnotifications%2Fsettings" className="primary">
              {t('Join or sign in')}
            </Link>
          </p>
        </Shown>
      ) : (
        <Settings key={fid} fid={fid} />
      )}
    </>
  )
}

function Settings({ fid }: { fid: number }) {
  const own = useOwn('push', readDevices)
  const here = useIdOfHere()
  if (own.error) return <Failed isScreen error={own.error} retry={own.refetch} />
  if (!own.data || here.isPending)
    return <Loading isScreen what={t('Loading your devices')} rows={2} />
  const mine = own.data.devices.find(({ id }) => id === here.id)
  const others = own.data.devices.filter((device) => device !== mine)
  const changed = async () => {
    await here.refresh()
    await own.refetch()
  }
  return (
    <div className="form-screen">
      <h1>{t('Push notifications')}</h1>
      <p className="muted">
        {t(
          'Your device shows them while this page is closed. They say who did what, and the first words of {aPost}; the push service of your browser cannot read them.',
        )}
      </p>
      <ThisBrowser fid={fid} publicKey={own.data.public_key} device={mine} changed={changed} />
      {others.length > 0 && <OtherDevices fid={fid} devices={others} changed={changed} />}
    </div>
  )
}

/** The id of the device that this browser is; undefined unless it is told of anything. */
function useIdOfHere() {
  const [state, setState] = useState<{ id: string | undefined }>()
  const refresh = async () => {
    const subscription = await findSubscription()
    setState({ id: subscription && (await deviceIdOf(subscription)) })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once; changes refresh it
  useEffect(() => {
    refresh().catch(() => setState({ id: undefined }))
  }, [])
  return { id: state?.id, isPending: state === undefined, refresh }
}

const OBSTACLES: Record<Obstacle, string> = {
  unsupported: t('This browser cannot show notifications of a page. Try another one.'),
  'not-installed': t(
    'On an iPhone or iPad, first add this page to the home screen: tap Share, then “Add to Home Screen”. Open it from there and come back here.',
  ),
  denied: t(
    'Your browser blocks notifications of this page. Allow them in the settings of the browser for this site, then load the page again.',
  ),
}

async function keyOf(fid: number): Promise<BrowserKey> {
  const key = await findKey(fid)
  if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
  return key
}

type ThisBrowserProps = {
  fid: number
  publicKey: string
  device: PushDevice | undefined
  changed: () => Promise<void>
}

function ThisBrowser({ fid, publicKey, device, changed }: ThisBrowserProps) {
  const { isBusy, run, said } = useWork()
  const obstacle = findObstacle()
  // What was asked for is shown at once; if it fails, what holds is shown again.
  const [asked, setAsked] = useState<readonly PushKind[]>()
  const kinds = asked ?? device?.kinds ?? []
  const put = async (next: readonly PushKind[]) => {
    setAsked(next)
    await run(async () => {
      const subscription = await subscribe(publicKey)
      await putDevice(await keyOf(fid), subscription, next)
      await changed()
      return device ? t('Saved.') : t('Notifications are on.')
    })
    setAsked(undefined)
  }
  const turnOff = () =>
    run(async () => {
      const subscription = await findSubscription()
      if (device) await removeDevice(await keyOf(fid), device.id)
      await subscription?.unsubscribe()
      await changed()
      return t('Notifications are off.')
    })
  return (
    <section className="account-part" aria-labelledby="here">
      <h2 id="here">{t('This browser')}</h2>
      {obstacle && <Notice tone="plain">{OBSTACLES[obstacle]}</Notice>}
      {!obstacle && !device && (
        <p>
          <button
            type="button"
            className="primary"
            disabled={isBusy}
            onClick={() => put(FIRST_KINDS)}
          >
            {t('Turn on notifications')}
          </button>
        </p>
      )}
      {!obstacle && device && (
        <>
          <fieldset className="switches" disabled={isBusy}>
            <legend>{t('Tell me of')}</legend>
            {KINDS.map(([kind, text]) => (
              <Kind
                key={kind}
                text={text}
                isOn={kinds.includes(kind)}
                isLast={kinds.length === 1}
                set={(isOn) =>
                  put(isOn ? [...kinds, kind] : kinds.filter((other) => other !== kind))
                }
              />
            ))}
          </fieldset>
          <p>
            <button type="button" className="secondary" disabled={isBusy} onClick={turnOff}>
              {t('Turn off')}
            </button>
          </p>
        </>
      )}
      {said}
    </section>
  )
}

type KindProps = { text: string; isOn: boolean; isLast: boolean; set: (isOn: boolean) => void }

/** The last kind is given up by turning notifications off. */
const Kind = ({ text, isOn, isLast, set }: KindProps) => (
  <label>
    <input
      type="checkbox"
      checked={isOn}
      disabled={isOn && isLast}
      onChange={(event) => set(event.target.checked)}
    />{' '}
    {text}
  </label>
)

type OthersProps = { fid: number; devices: readonly PushDevice[]; changed: () => Promise<void> }

function OtherDevices({ fid, devices, changed }: OthersProps) {
  const { isBusy, run, said } = useWork()
  const remove = (id: string) =>
    run(async () => {
      await removeDevice(await keyOf(fid), id)
      await changed()
      return t('Removed. It is not told any more.')
    })
  return (
    <section className="account-part" aria-labelledby="others">
      <h2 id="others">{t('Other devices')}</h2>
      <ul className="held">
        {devices.map(({ id, name, created_at, pushed_at }) => (
          <li key={id}>
            <span>
              {name || t('A device')}
              <span className="muted detail">
                {' '}
                {pushed_at
                  ? t('Since {date}, last told {date2}', {
                      date: dateOf(created_at),
                      date2: dateOf(pushed_at),
                    })
                  : t('Since {date}', { date: dateOf(created_at) })}
              </span>
            </span>
            <button
              type="button"
              className="secondary"
              disabled={isBusy}
              onClick={() => remove(id)}
            >
              {rich('Remove {name}', { name: <span className="unseen">{name}</span> })}
            </button>
          </li>
        ))}
      </ul>
      {said}
    </section>
  )
}

const dateOf = (time: string): string => dateText(Date.parse(time) / 1_000)
