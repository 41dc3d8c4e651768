import type { ReactNode } from 'react';
import type { TableColumn } from '../../components/DataTable.tsx';

/** The last column of a list, with the button that removes an item. */
export function actionColumn<Item>(cell: (item: Item) => ReactNode): TableColumn<Item> {
  return { id: 'actions', title: <span className="visually-hidden">Actions</span>, width: 60, cell };
}
