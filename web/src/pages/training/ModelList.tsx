import type { TrainedModel } from '../../api/training.ts';
import styles from './ModelList.module.css';

type ModelListProps = { models: TrainedModel[]; chosen: string; onChoose: (name: string) => void };

/** On narrow screens, the control in the header is shown instead. */
export function ModelList({ models, chosen, onChoose }: ModelListProps) {
  return (
    <nav className={styles.list} aria-label="Models">
      <ul>
        {models.map(({ id, name, base_model }) => (
          <li key={id}>
            <button
              type="button"
              className={styles.model}
              aria-current={name === chosen}
              onClick={() => onChoose(name)}
            >
              <span className={styles.name}>{name}</span>
              <span className={styles.base}>{base_model}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
