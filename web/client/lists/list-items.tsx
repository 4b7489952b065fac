import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanName } from '../../shared/text.ts'
import { tell } from '../act/notices.tsx'
import { handleOf, type Someone } from '../parts/person.tsx'
import { listChange, useListChange, useListsWith } from './own-lists.ts'

/** Puts a person on lists of the account, or takes them off: items of their menu. */
export default function ListItems({ user, done }: { user: Someone; done: () => void }) {
  const { data } = useListsWith(user.fid)
  const change = useListChange()
  const who = handleOf(user)
  return (
    <>
      {data?.lists.map(({ id, name, has_user: isOn = false }) => (
        <button
          key={id}
          type="button"
          onClick={async () => {
            done()
            const failed = isOn
              ? t('{who} is still on the list.', { who })
              : t('{who} is not on the list.', { who })
            if (!(await change(listChange(id, user.fid, !isOn), failed))) return
            tell(
              isOn
                ? t('{who} is off {name}.', { who, name: cleanName(name) })
                : t('{who} is on {name}.', { who, name: cleanName(name) }),
              {
                to: `/lists/${id}`,
                text: t('Show the list'),
              },
            )
          }}
        >
          <Icon name={isOn ? 'cross' : 'plus'} />
          <span>
            {isOn
              ? rich('Take off {name}', { name: <bdi>{cleanName(name)}</bdi> })
              : rich('Add to {name}', { name: <bdi>{cleanName(name)}</bdi> })}
          </span>
        </button>
      ))}
      {data?.lists.length === 0 && (
        <Link className="menu-link" to="/lists">
          <Icon name="plus" />
          {t('Make a list of people')}
        </Link>
      )}
    </>
  )
}
