// The lists of both systems: their paths, and the columns that say most.
// A column is [member, heading, kind, main]; kinds are in records.js, and main columns stay on a phone. In the place
// of a member is a function of the record, where another record that this tab holds says more. After the columns come
// the text of an empty list, and the operation that fills it, where time does not.
import { words } from '../lib/format.js';
import { row, rows } from '../lib/store.js';

// orderOf is the order or the lot that a record refers to, by id or by number.
const orderOf = r => {
  const reference = r.reference ?? r.sales_order_id ?? r.contract_lot_id;
  return ['sales_order', 'contract_lot']
    .map(resource => row(resource, reference) ?? rows(resource).find(o => o.number === reference))
    .find(Boolean);
};
const workOf = r => row('work_order', r.work_order_id ?? r.items?.[0]?.work_order_id);
const customerOf = r => {
  const order = r.customer_id ? r : orderOf(r);
  return order?.customer_name ?? row('customer', order?.customer_id)?.name;
};
const productOf = r => (orderOf(r) ?? workOf(r))?.product_name;
const printedOf = r => productOf(r) && productOf(r) + (r.items.length > 1 ? ` and ${r.items.length - 1} more` : '');
const personOf = r => rows('employee').find(e => e.badge_no === r.badge_no)?.name ?? r.badge_no;
const itemOf = r => rows('stock_item').find(i => i.sku === r.sku)?.name ?? r.sku;

// effectOf is the effect of a story on the company.
const effectOf = r => r.disruption?.effect_text ?? 'No effect on the company.';

// groups are the lists of a system by the work that they are for.
export const groups = {
  office: {
    Sell: 'sales-orders contract-lots shipments customers products',
    Buy: 'requisitions purchase-orders goods-receipts suppliers market market-trades',
    People: 'employees timesheets payroll-runs leave-requests',
    Money: 'customer-invoices payments supplier-invoices ledger',
  },
  factory: {
    Print: 'work-orders print-runs shipments presses products',
    Stock: 'stock stock-moves requisitions deliveries goods-receipts market-deliveries',
    People: 'operators attendance',
  },
};

export const lists = {
  office: [
    [
      'sales-orders',
      'sales_order',
      'Sales orders',
      [
        ['number', 'Order', 'code'],
        ['customer_name', 'Customer', 'fill'],
        ['product_name', 'Product'],
        ['quantity', 'Quantity', 'number'],
        ['total_minor', 'Total', 'money'],
        ['due_date', 'Due', 'day'],
        ['status', 'Status', 'status'],
      ],
      'Customers place a few orders a day.',
    ],
    [
      'contract-lots',
      'contract_lot',
      'Contract lots',
      [
        ['number', 'Lot', 'code'],
        [customerOf, 'Customer', 'fill'],
        ['product_name', 'Product'],
        ['quantity', 'Quantity', 'number'],
        ['total_minor', 'Total', 'money'],
        ['deliver_by', 'Deliver by', 'day'],
        ['status', 'Status', 'status'],
      ],
      'Publishers offer a large lot every few days.',
    ],
    [
      'shipments',
      'office_shipment',
      'Shipments',
      [
        ['number', 'Shipment', 'code'],
        [r => r.sales_order_id ?? r.contract_lot_id, 'Order', 'ref'],
        [customerOf, 'Customer', 'fill'],
        [productOf, 'Product'],
        ['quantity', 'Quantity', 'number'],
        ['factory_shipment_ref', 'Factory shipment', 'ref'],
        ['source', 'Created by'],
        ['shipped_on', 'Shipped', 'day'],
      ],
      'POST /office/shipments bills shipped orders.',
      'create_office_shipment',
    ],
    [
      'customer-invoices',
      'customer_invoice',
      'Customer invoices',
      [
        ['number', 'Invoice', 'code'],
        ['customer_id', 'Customer', 'party'],
        [productOf, 'Product'],
        ['total_minor', 'Total', 'money'],
        ['balance_minor', 'Open', 'money'],
        ['due_date', 'Due', 'day'],
        ['status', 'Status', 'status'],
      ],
      'Each shipment to a customer is billed with an invoice.',
    ],
    [
      'payments',
      'payment',
      'Payments',
      [
        ['payer_name', 'Payer', 'fill'],
        ['customer_invoice_id', 'Invoice', 'ref'],
        ['remittance_text', 'Text'],
        ['amount_minor', 'Amount', 'money', 'main'],
        ['received_on', 'Received', 'day'],
      ],
      'Most customers pay when their terms end.',
    ],
    [
      'requisitions',
      'office_requisition',
      'Requisitions',
      [
        ['number', 'Requisition', 'code'],
        ['lines', 'Goods', 'lines'],
        ['reference', 'Factory requisition', 'ref'],
        ['estimated_minor', 'Estimate', 'money'],
        ['source', 'Created by'],
        ['status', 'Status', 'status'],
      ],
      'Requests for material from the Factory appear here.',
    ],
    [
      'purchase-orders',
      'purchase_order',
      'Purchase orders',
      [
        ['number', 'Order', 'code'],
        ['supplier_id', 'Supplier', 'party'],
        ['lines', 'Goods', 'lines'],
        ['total_minor', 'Total', 'money'],
        ['expected_on', 'Expected', 'day'],
        ['receipt_status', 'Received', 'status'],
        ['status', 'Status', 'status'],
      ],
      'POST /office/purchase-orders buys from a supplier.',
      'create_purchase_order',
    ],
    [
      'goods-receipts',
      'office_goods_receipt',
      'Goods receipts',
      [
        ['purchase_order_id', 'Purchase order', 'ref'],
        ['lines', 'Goods', 'lines'],
        ['reference', 'Factory receipt', 'ref'],
        ['recorded_on', 'Recorded', 'day'],
      ],
      'Goods received, as recorded in Head Office.',
    ],
    [
      'supplier-invoices',
      'supplier_invoice',
      'Supplier invoices',
      [
        ['number', 'Invoice', 'code'],
        ['supplier_id', 'Supplier', 'party'],
        ['supplier_reference', 'Their number', 'code'],
        ['kind', 'Kind', 'words'],
        ['billed_minor', 'Billed', 'money'],
        ['variance_minor', 'Variance', 'money'],
        ['match_status', 'Match', 'status'],
        ['due_date', 'Due', 'day'],
        ['status', 'Status', 'status'],
      ],
      'Suppliers send a bill for each delivery.',
    ],
    [
      'ledger',
      'ledger_entry',
      'Ledger',
      [
        ['entry_on', 'Day', 'day'],
        [r => words(r.kind), 'Kind', 'fill'],
        ['reference_id', 'For', 'ref'],
        ['amount_minor', 'Amount', 'money', 'main'],
        ['balance_minor', 'Balance', 'money'],
      ],
      'Every movement of cash.',
    ],
    [
      'employees',
      'employee',
      'People',
      [
        ['badge_no', 'Badge', 'code'],
        ['name', 'Name', 'fill'],
        ['role', 'Role', 'words'],
        ['skill', 'Skill', 'number'],
        ['hourly_minor', 'Hourly wage', 'money'],
        ['status', 'Status', 'status'],
      ],
      'The company has no employees.',
    ],
    [
      'timesheets',
      'timesheet',
      'Timesheets',
      [
        ['week_start', 'Week', 'day'],
        ['entries', 'People', 'count'],
        ['source', 'Created by'],
        ['payroll_run_id', 'Payroll', 'ref'],
      ],
      'File a timesheet for each week of attendance, after Friday.',
      'create_timesheet',
    ],
    [
      'payroll-runs',
      'payroll_run',
      'Payroll',
      [
        ['week_start', 'Week', 'day'],
        ['gross_minor', 'Gross', 'money'],
        ['surcharge_minor', 'Surcharge', 'money'],
        ['due_date', 'Due', 'day'],
        ['status', 'Status', 'status'],
      ],
      'Pay a week once its timesheet is filed.',
    ],
    [
      'leave-requests',
      'leave_request',
      'Leave',
      [
        ['employee_id', 'Employee', 'ref'],
        ['from_date', 'From', 'day'],
        ['to_date', 'To', 'day'],
        ['days', 'Days', 'number'],
      ],
      'Employees request leave from time to time.',
    ],
    [
      'market',
      'market_quote',
      'Market',
      [
        ['name', 'Item', 'fill'],
        ['bid_minor', 'Bid', 'money', 'main'],
        ['ask_minor', 'Ask', 'money', 'main'],
        ['depth', 'Depth', 'number'],
        ['valid_on', 'Valid on', 'day'],
      ],
      'Prices change every morning.',
    ],
    [
      'market-trades',
      'market_trade',
      'Trades',
      [
        ['traded_on', 'Traded', 'day'],
        ['side', 'Side', 'words'],
        [itemOf, 'Item', 'fill'],
        ['quantity', 'Quantity', 'number'],
        ['total_minor', 'Total', 'money', 'main'],
      ],
      'POST /office/market/trades buys and sells on the market.',
      'trade_on_market',
    ],
    [
      'customers',
      'customer',
      'Customers',
      [
        ['name', 'Name', 'fill'],
        ['payment_terms_days', 'Terms, days', 'number'],
        ['payment_habit', 'Pays', 'words', 'main'],
        ['credit_note', 'Note'],
      ],
      '',
    ],
    [
      'products',
      'office_product',
      'Products',
      [
        ['name', 'Product', 'fill'],
        ['sku', 'SKU', 'code'],
        ['unit', 'Unit'],
        ['list_price_minor', 'List price', 'money'],
      ],
      '',
    ],
    [
      'suppliers',
      'supplier',
      'Suppliers',
      [
        ['name', 'Name', 'fill'],
        ['kind', 'Kind'],
        ['terms_days', 'Terms, days', 'number'],
        ['lead_days_min', 'Lead days, min', 'number'],
        ['lead_days_max', 'Lead days, max', 'number'],
        ['on_time_pct', 'On time %', 'number'],
      ],
      '',
    ],
  ],
  world: [
    [
      'lore-events',
      'lore_event',
      'Stories',
      [
        [effectOf, 'Effect', 'effect'],
        ['started_on', 'Began', 'day'],
        [r => r.disruption?.ends_on, 'Until', 'on'],
        ['status', 'Status', 'status'],
      ],
      'News from the world around the company appears here.',
    ],
    [
      'major-orders',
      'major_order',
      'Major orders',
      [
        ['title', 'Major order', 'fill'],
        [r => `${r.milestone} %`, 'Reached', 'code'],
        [r => r.pool_minor, 'Bonus pool', 'money'],
        ['own_quantity', 'Yours', 'number'],
        ['opens_on', 'Opens', 'day'],
        ['closes_on', 'Closes', 'day'],
        ['status', 'Status', 'status'],
      ],
      'Sometimes a large order is shared among many companies.',
    ],
    [
      'achievements',
      'achievement',
      'Achievements',
      [
        ['title', 'Achievement', 'fill'],
        ['text', 'For'],
        ['created_on', 'Unlocked', 'day'],
      ],
      'Good work unlocks achievements.',
    ],
  ],
  factory: [
    [
      'work-orders',
      'work_order',
      'Work orders',
      [
        ['number', 'Work order', 'code'],
        ['product_name', 'Product', 'fill'],
        ['reference', 'Reference', 'ref'],
        ['quantity', 'Quantity', 'number'],
        ['quantity_good', 'Good', 'number'],
        ['quantity_shipped', 'Shipped', 'number'],
        ['due_date', 'Due', 'day'],
        ['status', 'Status', 'status'],
      ],
      'POST /factory/work-orders creates a work order to print.',
      'create_work_order',
    ],
    [
      'print-runs',
      'print_run',
      'Print runs',
      [
        ['work_order_id', 'Work order', 'ref'],
        [printedOf, 'Product', 'fill'],
        ['press_id', 'Press', 'ref'],
        [r => personOf({ badge_no: r.operator_badge_no }), 'Operator'],
        ['sheets_planned', 'Sheets', 'number'],
        ['spoilage_pct', 'Spoilage %', 'number'],
        ['started_sim', 'Started', 'sim'],
        ['ends_sim', 'Ends', 'sim'],
        ['status', 'Status', 'status'],
      ],
      'POST /factory/print-runs prints a work order on a press.',
      'start_print_run',
    ],
    [
      'shipments',
      'factory_shipment',
      'Shipments',
      [
        ['number', 'Shipment', 'code'],
        [customerOf, 'Customer', 'fill'],
        [productOf, 'Product'],
        ['quantity', 'Quantity', 'number'],
        ['reference', 'Reference', 'ref'],
        ['source', 'Created by'],
        ['shipped_on', 'Shipped', 'day'],
      ],
      'POST /factory/shipments ships finished goods.',
      'create_factory_shipment',
    ],
    [
      'stock',
      'stock_item',
      'Stock',
      [
        ['name', 'Item', 'fill'],
        ['sku', 'SKU', 'code'],
        ['on_hand', 'On hand', 'stock', 'main'],
        ['reserved', 'Reserved', 'number'],
        ['reorder_point', 'Reorder at', 'number'],
        ['status', 'Status', 'status'],
      ],
      '',
    ],
    [
      'stock-moves',
      'stock_move',
      'Stock moves',
      [
        ['created_on', 'Day', 'day'],
        [itemOf, 'Item', 'fill'],
        ['kind', 'Kind', 'words'],
        ['reference_id', 'For', 'ref'],
        ['quantity', 'Quantity', 'number', 'main'],
        ['balance_after', 'Balance', 'number'],
      ],
      'Every movement of material.',
    ],
    [
      'requisitions',
      'factory_requisition',
      'Requisitions',
      [
        ['number', 'Requisition', 'code'],
        [itemOf, 'Item', 'fill'],
        ['quantity', 'Quantity', 'number'],
        ['on_hand_when_filed', 'On hand then', 'number'],
        ['needed_by', 'Needed by', 'day'],
        ['status', 'Status', 'status'],
      ],
      'The Factory requests material when stock falls below its reorder point.',
    ],
    [
      'deliveries',
      'delivery',
      'Deliveries',
      [
        ['purchase_order_number', 'For', 'code'],
        ['supplier_name', 'Supplier', 'fill'],
        ['lines', 'Goods', 'lines'],
        ['arrived_on', 'Arrived', 'day'],
        ['status', 'Status', 'status'],
      ],
      'Trucks bring the material that Head Office has ordered.',
    ],
    [
      'goods-receipts',
      'factory_goods_receipt',
      'Goods receipts',
      [
        ['purchase_order_number', 'Purchase order', 'ref'],
        ['lines', 'Goods', 'lines'],
        ['received_on', 'Counted', 'day'],
      ],
      'POST /factory/goods-receipts records a delivery.',
      'create_factory_goods_receipt',
    ],
    [
      'market-deliveries',
      'market_delivery',
      'Market deliveries',
      [
        ['received_on', 'Received', 'day'],
        [itemOf, 'Item', 'fill'],
        ['trade_ref', 'Trade', 'ref'],
        ['quantity', 'Quantity', 'number', 'main'],
      ],
      'Goods bought on the market arrive a working day later.',
    ],
    [
      'presses',
      'press',
      'Presses',
      [
        ['name', 'Press', 'fill'],
        ['technology', 'Kind'],
        ['sheets_per_hour', 'Sheets/h', 'number'],
        ['make_ready_minutes', 'Make-ready, minutes', 'number'],
        ['completed_print_runs', 'Runs', 'number'],
        ['minutes_printed_total', 'Minutes printed', 'number'],
        ['status', 'Status', 'status'],
      ],
      '',
    ],
    [
      'operators',
      'operator',
      'Operators',
      [
        ['badge_no', 'Badge', 'code'],
        [personOf, 'Name', 'fill'],
        ['role', 'Role', 'words'],
        ['present', 'Present', 'yes'],
      ],
      '',
    ],
    [
      'attendance',
      'attendance',
      'Attendance',
      [
        ['date', 'Day', 'day'],
        ['badge_no', 'Badge', 'code'],
        [personOf, 'Name', 'fill'],
        ['hours', 'Hours', 'number'],
        ['absence', 'Absence', 'words'],
      ],
      'The gate records attendance.',
    ],
    [
      'products',
      'factory_product',
      'Products',
      [
        ['name', 'Product', 'fill'],
        ['sku', 'SKU', 'code'],
        ['paper_sku', 'Paper', 'code'],
        ['sheets_per_unit', 'Sheets', 'number'],
        ['plates_per_run', 'Plates', 'number'],
        ['finishing_minutes', 'Finishing, minutes', 'number'],
      ],
      '',
    ],
  ],
};
