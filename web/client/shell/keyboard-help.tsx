import { t } from '../../shared/messages.ts'
import type { screenKeys } from './screen-keys.ts'

type Help = readonly (readonly [key: string, what: string])[]
const HELP: Help = [
  ['j', t('Next {post}')],
  ['k', t('Previous {post}')],
  [t('Enter'), t('Open the {post}')],
  ['r', t('Reply')],
  ['l', t('Like')],
  ['n', t('Write {aPost}')],
  ['/', t('Search')],
  ['?', t('This help')],
]
type Props = {
  id: string
  /** The keys of the open screen. */
  ofScreen: ReturnType<typeof screenKeys>
  isOff: boolean
  turn: (isOff: boolean) => void
}

/** What the keys mean. */
export default function KeyboardHelp({ id, ofScreen, isOff, turn }: Props) {
  return (
    <>
      <h2 id={id}>{t('Keyboard')}</h2>
      {ofScreen && (
        <>
          <h3>{ofScreen.heading}</h3>
          <Keys keys={ofScreen.keys.map(({ key, what }) => [key, what])} />
          <h3>{t('Everywhere else')}</h3>
        </>
      )}
      <Keys keys={HELP} />
      <label className="check">
        <input type="checkbox" checked={!isOff} onChange={({ target }) => turn(!target.checked)} />
        {t('Single keys are on')}
      </label>
      <form method="dialog">
        <button type="submit" className="secondary">
          {t('Close')}
        </button>
      </form>
    </>
  )
}

const Keys = ({ keys }: { keys: Help }) => (
  <dl className="keys">
    {keys.map(([key, what]) => (
      <div key={key}>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
)
