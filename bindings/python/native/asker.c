/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asker.c: a query that is asked in one call from Python, with an object in and true
 * or false out, and the start of the module belay._rego: cffi's own, with this added.
 */
#include "native.h"

/* cffi's start of the module: build_binding.py. */
PyMODINIT_FUNC rego_cffi_init(void);

/*
 * query is borrowed: rego.Query, whose base this is, keeps it.
 *   encode(value)           the JSON of a value that items_read leaves alone
 *   refuse(status, message) raises
 *   no_input                the argument that stands for a missing input
 */
struct asker {
	PyObject object;
	const rego_query *query;
	PyObject *encode;
	PyObject *refuse;
	PyObject *no_input;
};

static PyObject *asker_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	unsigned long long address;
	PyObject *encode, *refuse, *no_input;
	struct asker *asker;

	(void)named;
	if (!PyArg_ParseTuple(args, "KOOO", &address, &encode, &refuse,
			      &no_input))
		return NULL;
	asker = (struct asker *)alloc(type, 0);
	if (!asker)
		return NULL;
	asker->query = (const rego_query *)(uintptr_t)address;
	Py_INCREF(encode);
	asker->encode = encode;
	Py_INCREF(refuse);
	asker->refuse = refuse;
	Py_INCREF(no_input);
	asker->no_input = no_input;
	return (PyObject *)asker;
}

static void asker_free(PyObject *self)
{
	struct asker *asker = (struct asker *)self;
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	Py_CLEAR(asker->encode);
	Py_CLEAR(asker->refuse);
	Py_CLEAR(asker->no_input);
	release(self);
	Py_DECREF(type);
}

static PyObject *answer(const struct asker *asker, rego_status status,
			int32_t is_true, const rego_error *error)
{
	if (!status)
		return PyBool_FromLong(is_true);
	return PyObject_CallFunction(asker->refuse, "iy", (int)status,
				     error->message);
}

/* row NULL: no input.  Other threads of Python run meanwhile. */
static PyObject *ask_items(const struct asker *asker, const rego_item *row,
			   size_t count)
{
	rego_error error; /* message is set with a status, and large */
	int32_t is_true = 0;
	PyThreadState *thread;
	rego_status status;

	error.struct_size = sizeof(error);
	thread = PyEval_SaveThread();
	status = rego_query_ask(asker->query, NULL, row, count, &is_true,
				&error);
	PyEval_RestoreThread(thread);
	return answer(asker, status, is_true, &error);
}

static PyObject *ask_bytes(const struct asker *asker, PyObject *bytes)
{
	rego_error error; /* as above */
	rego_result *result = NULL;
	char *input = NULL;
	Py_ssize_t size = 0;
	int32_t is_true;
	PyThreadState *thread;
	rego_status status;

	if (PyBytes_AsStringAndSize(bytes, &input, &size))
		return NULL;
	error.struct_size = sizeof(error);
	thread = PyEval_SaveThread();
	status = rego_query_run(asker->query, NULL, input, (size_t)size,
				&result, &error);
	is_true = rego_result_is_true(result);
	rego_result_free(result);
	PyEval_RestoreThread(thread);
	return answer(asker, status, is_true, &error);
}

static PyObject *ask_value(const struct asker *asker, PyObject *value)
{
	struct items items;
	PyObject *given, *bytes;

	items_init(&items);
	if (items_read(&items, value)) {
		given = ask_items(asker, items.row, items.count);
	} else {
		bytes = PyObject_CallFunctionObjArgs(asker->encode, value,
						     NULL);
		given = bytes ? ask_bytes(asker, bytes) : NULL;
		Py_XDECREF(bytes);
	}
	items_clear(&items);
	return given;
}

/* is_true(input=NO_INPUT) */
static PyObject *is_true(PyObject *self, PyObject *const *args,
			 Py_ssize_t count, PyObject *names)
{
	const struct asker *asker = (struct asker *)self;
	Py_ssize_t named = names ? PyTuple_Size(names) : 0;
	PyObject *input = count + named ? args[0] : asker->no_input;

	if (count + named > 1 ||
	    (named && PyUnicode_CompareWithASCIIString(
			      PyTuple_GetItem(names, 0), "input"))) {
		PyErr_SetString(PyExc_TypeError,
				"is_true takes one argument, the input");
		return NULL;
	}
	if (input == asker->no_input)
		return ask_items(asker, NULL, 0);
	return PyBytes_Check(input) ? ask_bytes(asker, input)
				    : ask_value(asker, input);
}

static PyMethodDef asker_methods[] = {
	{ "is_true", (PyCFunction)(void (*)(void))is_true,
	  METH_FASTCALL | METH_KEYWORDS,
	  "is_true(self, input=NO_INPUT)\n--\n\n"
	  "Is the value true?  The quickest way to ask." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot asker_slots[] = {
	{ Py_tp_doc, "A query that is asked for true or false." },
	{ Py_tp_new, (void *)asker_new },
	{ Py_tp_dealloc, (void *)asker_free },
	{ Py_tp_methods, asker_methods },
	{ 0, NULL },
};

static PyType_Spec asker_spec = {
	.name = "belay._rego.Asker",
	.basicsize = sizeof(struct asker),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.slots = asker_slots,
};

PyMODINIT_FUNC PyInit__rego(void)
{
	PyObject *module = rego_cffi_init();
	PyObject *type = module ? PyType_FromSpec(&asker_spec) : NULL;

	if (!type || PyModule_AddObjectRef(module, "Asker", type))
		Py_CLEAR(module);
	Py_XDECREF(type);
	return module;
}
