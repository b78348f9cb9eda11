/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asker.c: a query that is asked in one call from Python, with an object in, and true
 * or false or an object out, and the start of the module belay._rego: cffi's own, with this added.
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

/* A question: with a substitute for undefined it is for the value. */
struct question {
	const struct asker *asker;
	PyObject *substitute; /* NULL: is it true? */
};

static PyObject *refuse(const struct asker *asker, rego_status status,
			const rego_error *error)
{
	return PyObject_CallFunction(asker->refuse, "iy", (int)status,
				     error->message);
}

/* Is the value true?  row NULL: no input.  Other threads of Python run meanwhile. */
static PyObject *ask_truth(const struct asker *asker, const rego_item *row,
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
	return status ? refuse(asker, status, &error)
		      : PyBool_FromLong(is_true);
}

/* The answer to a question after its run; frees result. */
static PyObject *answer(const struct question *question, rego_status status,
			rego_result *result, rego_error *error)
{
	const rego_item *items = NULL;
	size_t count = 0;
	PyObject *value;

	if (!status && question->substitute)
		status = rego_result_items(result, &items, &count, error);
	if (status) {
		value = refuse(question->asker, status, error);
	} else if (!question->substitute) {
		value = PyBool_FromLong(rego_result_is_true(result));
	} else if (items) {
		value = items_value(items);
	} else {
		value = question->substitute;
		Py_INCREF(value);
	}
	rego_result_free(result);
	return value;
}

static PyObject *ask_items(const struct question *question,
			   const rego_item *row, size_t count)
{
	rego_error error; /* as above */
	rego_result *result = NULL;
	PyThreadState *thread;
	rego_status status;

	if (!question->substitute)
		return ask_truth(question->asker, row, count);
	error.struct_size = sizeof(error);
	thread = PyEval_SaveThread();
	status = rego_query_run_items(question->asker->query, NULL, row, count,
				      &result, &error);
	PyEval_RestoreThread(thread);
	return answer(question, status, result, &error);
}

static PyObject *ask_bytes(const struct question *question, PyObject *bytes)
{
	rego_error error; /* as above */
	rego_result *result = NULL;
	char *input = NULL;
	Py_ssize_t size = 0;
	PyThreadState *thread;
	rego_status status;

	if (PyBytes_AsStringAndSize(bytes, &input, &size))
		return NULL;
	error.struct_size = sizeof(error);
	thread = PyEval_SaveThread();
	status = rego_query_run(question->asker->query, NULL, input,
				(size_t)size, &result, &error);
	PyEval_RestoreThread(thread);
	return answer(question, status, result, &error);
}

static PyObject *ask_value(const struct question *question, PyObject *value)
{
	struct items items;
	PyObject *given, *bytes;

	items_init(&items);
	if (items_read(&items, value)) {
		given = ask_items(question, items.row, items.count);
	} else {
		bytes = PyObject_CallFunctionObjArgs(question->asker->encode,
						     value, NULL);
		given = bytes ? ask_bytes(question, bytes) : NULL;
		Py_XDECREF(bytes);
	}
	items_clear(&items);
	return given;
}

static PyObject *ask(const struct question *question, PyObject *input)
{
	if (input == question->asker->no_input)
		return ask_items(question, NULL, 0);
	return PyBytes_Check(input) ? ask_bytes(question, input)
				    : ask_value(question, input);
}

/* is_true(input=NO_INPUT) */
static PyObject *is_true(PyObject *self, PyObject *const *args,
			 Py_ssize_t count, PyObject *names)
{
	const struct question question = { .asker = (struct asker *)self };
	Py_ssize_t named = names ? PyTuple_Size(names) : 0;

	if (count + named > 1 ||
	    (named && PyUnicode_CompareWithASCIIString(
			      PyTuple_GetItem(names, 0), "input"))) {
		PyErr_SetString(PyExc_TypeError,
				"is_true takes one argument, the input");
		return NULL;
	}
	return ask(&question,
		   count + named ? args[0] : question.asker->no_input);
}

/* value(input=NO_INPUT, default=None) */
static PyObject *value(PyObject *self, PyObject *args, PyObject *named)
{
	static char *words[] = { "input", "default", NULL };
	struct question question = { (struct asker *)self, Py_None };
	PyObject *input = question.asker->no_input;

	if (!PyArg_ParseTupleAndKeywords(args, named, "|OO:value", words,
					 &input, &question.substitute))
		return NULL;
	return ask(&question, input);
}

static PyMethodDef asker_methods[] = {
	{ "is_true", (PyCFunction)(void (*)(void))is_true,
	  METH_FASTCALL | METH_KEYWORDS,
	  "is_true(self, input=NO_INPUT)\n--\n\n"
	  "Is the value true?  The quickest way to ask." },
	{ "value", (PyCFunction)(void (*)(void))value,
	  METH_VARARGS | METH_KEYWORDS,
	  "value(self, input=NO_INPUT, default=None)\n--\n\n"
	  "The value; default: it is undefined." },
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
