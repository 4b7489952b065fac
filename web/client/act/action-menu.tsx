import { type ReactNode, useId, useRef, useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { handleOf } from '../parts/person.tsx'
import type { User } from '../types.ts'
import { useAct } from './actor.ts'
import { type Fact, setOverride, useFact } from './overrides.ts'
import { block } from './writes.ts'

type MenuProps = {
  children: (close: () => void) => ReactNode
  /** Called when it may be opened in a moment. */
  prepare?: () => unknown
}

/** A button that opens a menu of what is needed less. Its items are made when it opens. */
export function ActionMenu({ children, prepare }: MenuProps) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="more-actions">
      <button
        type="button"
        className="action"
        aria-label={t('More')}
        popoverTarget={id}
        onPointerEnter={prepare}
        onFocus={prepare}
      >
        <Icon name="dots" />
      </button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        className="action-menu"
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && children(() => menu.current?.hidePopover())}
      </div>
    </div>
  )
}

type Blockable = Pick<User, 'fid' | 'username' | 'viewer_context'>

/** Blocks a person, or takes that back: an item of their menu and of those of their casts. */
export function BlockButton({ user, done }: { user: Blockable; done: () => void }) {
  const act = useAct()
  const fact: Fact = `block ${user.fid}`
  const isOn = useFact(fact, user.viewer_context?.blocking ?? false)
  const who = handleOf({ display_name: '', pfp_url: '', ...user })
  const toggle = () => {
    done()
    act((key) => block(key, user.fid, !isOn), {
      apply: () => setOverride(fact, !isOn),
      undo: () => setOverride(fact, isOn),
      failed: isOn ? t('You still block {who}.', { who }) : t('{who} is not blocked.', { who }),
    })
  }
  return (
    <button type="button" className={isOn ? undefined : 'danger'} onClick={toggle}>
      <Icon name="block" />
      {isOn ? t('Unblock {who}', { who }) : t('Block {who}', { who })}
    </button>
  )
}
